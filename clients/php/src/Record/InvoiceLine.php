<?php

declare(strict_types=1);

namespace Malipo\Record;

final class InvoiceLine
{
    public function __construct(
        public readonly ?string $biller,
        public readonly int $payments,
        public readonly ?string $excisePercent,
        public readonly ?string $vatPercent,
        public readonly int $netCents,
        public readonly int $exciseCents,
        public readonly int $vatCents,
        public readonly int $totalCents,
    ) {
    }
}
