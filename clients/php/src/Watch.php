<?php

declare(strict_types=1);

namespace Malipo;

final class Watch
{
    public function __construct(
        public readonly string $requestReference,
        public readonly string $text,
    ) {
    }

    /** @internal */
    public static function of(Wire $wire): self
    {
        return new self(
            $wire->text('requestReference'),
            $wire->text('text'),
        );
    }
}
