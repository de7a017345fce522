<?php

declare(strict_types=1);

namespace Malipo;

final class PhoneLookup
{
    /**
     * @param string $operator the biller code of the operator’s airtime
     */
    public function __construct(
        public readonly string $prefix,
        public readonly string $operator,
    ) {
    }

    /** @internal */
    public static function of(Wire $wire): self
    {
        return new self(
            $wire->text('prefix'),
            $wire->text('operator'),
        );
    }
}
