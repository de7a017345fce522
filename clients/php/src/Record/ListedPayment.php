<?php

declare(strict_types=1);

namespace Malipo\Record;

/** A payment in a list. */
final class ListedPayment
{
    /**
     * @param string $status `QUEUED`, `PENDING`, `SUCCESS` or `FAILED`
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
    ) {
    }
}
