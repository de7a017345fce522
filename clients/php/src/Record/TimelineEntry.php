<?php

declare(strict_types=1);

namespace Malipo\Record;

/** One thing that happened to a payment. Fields of other kinds are null. */
final class TimelineEntry
{
    /**
     * @param string $kind `created`, `attempt`, `settled`, `transfer` or `event`; more may be added
     */
    public function __construct(
        public readonly \DateTimeImmutable $at,
        public readonly string $kind,
        public readonly ?string $status,
        public readonly ?string $outcome,
        public readonly ?int $attempt,
        public readonly ?string $movement,
        public readonly ?int $amountCents,
        public readonly ?string $eventId,
        public readonly ?string $eventType,
    ) {
    }
}
