<?php

declare(strict_types=1);

namespace Malipo;

final class Product
{
    public function __construct(
        public readonly string $name,
        public readonly int $minimumCents,
        public readonly int $maximumCents,
        public readonly ?string $value,
        public readonly ?string $validity,
    ) {
    }

    /** @internal */
    public static function of(Wire $wire): self
    {
        return new self(
            $wire->text('name'),
            $wire->cents('minimum_amount'),
            $wire->cents('maximum_amount'),
            $wire->textOrNull('value'),
            $wire->textOrNull('validity'),
        );
    }
}
