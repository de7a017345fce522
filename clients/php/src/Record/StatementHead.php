<?php

declare(strict_types=1);

namespace Malipo\Record;

final class StatementHead
{
    /**
     * @param int $count how many lines there are
     * @param list<StatementMovement> $movements what moved, by kind
     */
    public function __construct(
        public readonly \DateTimeImmutable $from,
        public readonly \DateTimeImmutable $to,
        public readonly int $openingCents,
        public readonly int $closingCents,
        public readonly int $openingFloatCents,
        public readonly int $closingFloatCents,
        public readonly int $count,
        #[ListOf(StatementMovement::class)]
        public readonly array $movements,
    ) {
    }
}
