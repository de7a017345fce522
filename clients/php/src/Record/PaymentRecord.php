<?php

declare(strict_types=1);

namespace Malipo\Record;

/** A payment with its result and its timeline. */
final class PaymentRecord
{
    /**
     * @param string $status `QUEUED`, `PENDING`, `SUCCESS` or `FAILED`
     * @param ?array<string, string> $details
     * @param bool $archived true: only the books and the keys are still there
     * @param list<TimelineEntry> $timeline
     */
    public function __construct(
        public readonly string $reference,
        public readonly ?string $merchantReference,
        public readonly string $status,
        public readonly string $biller,
        public readonly string $account,
        public readonly ?string $phone,
        public readonly int $amountCents,
        public readonly int $feeCents,
        public readonly \DateTimeImmutable $createdAt,
        public readonly ?\DateTimeImmutable $settledAt,
        public readonly ?string $billerReference,
        public readonly ?\DateTimeImmutable $billerResponseTime,
        public readonly ?string $message,
        public readonly ?string $failureCode,
        public readonly ?array $details,
        public readonly bool $archived,
        #[ListOf(TimelineEntry::class)]
        public readonly array $timeline,
    ) {
    }
}
