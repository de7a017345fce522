<?php

declare(strict_types=1);

namespace Malipo\Record;

final class EventDelivery
{
    public function __construct(
        public readonly string $state,
        public readonly int $attempts,
        public readonly ?\DateTimeImmutable $nextAttemptAt,
        public readonly ?\DateTimeImmutable $endedAt,
        public readonly ?string $lastResult,
    ) {
    }
}
