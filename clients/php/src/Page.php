<?php

declare(strict_types=1);

namespace Malipo;

use Malipo\Record\StatementHead;

/**
 * A page of a list. It may have fewer items than asked for, even none, although there are more.
 *
 * @template-covariant Item of object
 */
final class Page
{
    /**
     * @param list<Item> $items
     * @param ?string $nextCursor null: there are no more
     * @param ?\DateTimeImmutable $searchedTo of payments: everything accepted since then has been
     *   searched; null: the whole period
     * @param ?StatementHead $head of the first page of a statement
     */
    public function __construct(
        public readonly array $items,
        public readonly ?string $nextCursor,
        public readonly ?\DateTimeImmutable $searchedTo,
        public readonly ?StatementHead $head,
    ) {
    }
}
