<?php

declare(strict_types=1);

namespace Malipo\Record;

final class NewKey
{
    /**
     * @param string $secret shown once: store it now
     */
    public function __construct(
        public readonly string $keyId,
        public readonly string $secret,
        public readonly int $overlapSeconds,
    ) {
    }
}
