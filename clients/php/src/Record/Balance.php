<?php

declare(strict_types=1);

namespace Malipo\Record;

/** Your money with the service. */
final class Balance
{
    /**
     * @param int $reservedCents held for payments without a final result
     * @param int $collectedCents collected income that has not been moved to the float
     * @param int $heldCents collected income that waits for a transfer to your bank
     */
    public function __construct(
        public readonly \DateTimeImmutable $at,
        public readonly int $floatCents,
        public readonly int $reservedCents,
        public readonly int $collectedCents,
        public readonly int $heldCents,
        public readonly int $totalCents,
    ) {
    }
}
