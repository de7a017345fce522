<?php

declare(strict_types=1);

namespace Malipo;

/**
 * A list. Iterate over it for all items, which reads page after page, or read single pages.
 *
 * @template-covariant Item of object
 * @implements \IteratorAggregate<int, Item>
 */
final class Pages implements \IteratorAggregate
{
    /** The most that the service sends at once, so that reading everything takes the fewest requests. */
    private const LARGEST_PAGE = 200;

    /** After an empty page: a list of events that is followed has no end, and is asked for again and again. */
    private const EMPTY_PAUSE_SECONDS = 0.5;

    /**
     * @internal
     * @param \Closure(?string $cursor, ?int $limit): Page<Item> $read
     */
    public function __construct(private readonly \Closure $read)
    {
    }

    /**
     * The first page or, with a cursor, the one that continues a page with this `nextCursor`.
     *
     * @param ?int $limit how many items it has at most: 1 to 200
     * @return Page<Item>
     * @throws MalipoException
     */
    public function page(?string $cursor = null, ?int $limit = null): Page
    {
        return ($this->read)($cursor, $limit);
    }

    /**
     * @return \Generator<int, Item>
     * @throws MalipoException
     */
    public function getIterator(): \Generator
    {
        $cursor = null;
        do {
            $page = $this->page($cursor, self::LARGEST_PAGE);
            foreach ($page->items as $item) {
                yield $item;
            }
            $cursor = $page->nextCursor;
            if ($cursor !== null && $page->items === []) {
                Transport::sleep(self::EMPTY_PAUSE_SECONDS);
            }
        } while ($cursor !== null);
    }
}
