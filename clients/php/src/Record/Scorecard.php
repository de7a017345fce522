<?php

declare(strict_types=1);

namespace Malipo\Record;

/** The scorecard of a score. */
final class Scorecard
{
    /**
     * @param bool $example true: not made from what became of real loans, so its scores are examples
     * @param int $horizonMonths the probability is that of a default within so many months
     * @param int $defaultDays a default is so many days late
     * @param string $population the people that the card was made from
     */
    public function __construct(
        public readonly string $card,
        public readonly bool $example,
        public readonly int $horizonMonths,
        public readonly int $defaultDays,
        public readonly string $population,
    ) {
    }
}
