<?php

declare(strict_types=1);

namespace Malipo\Record;

final class FeeTier
{
    /**
     * @param string $percent per cent of the amount, such as `1.5`
     */
    public function __construct(
        public readonly int $fromCents,
        public readonly int $flatCents,
        public readonly string $percent,
    ) {
    }
}
