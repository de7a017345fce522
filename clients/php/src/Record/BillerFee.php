<?php

declare(strict_types=1);

namespace Malipo\Record;

final class BillerFee
{
    /**
     * @param list<FeeTier> $tiers
     * @param string $vat `included` in the fee, or `added` to it
     * @param string $excisePercent excise duty on the fee, included or added as VAT is
     */
    public function __construct(
        #[ListOf(FeeTier::class)]
        public readonly array $tiers,
        public readonly ?int $minimumCents,
        public readonly ?int $maximumCents,
        public readonly string $vatPercent,
        public readonly string $vat,
        public readonly string $excisePercent,
    ) {
    }
}
