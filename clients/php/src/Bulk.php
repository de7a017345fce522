<?php

declare(strict_types=1);

namespace Malipo;

final class Bulk
{
    /**
     * @param string $status `PROCESSING` or `DONE`
     * @param list<BulkRow> $results of `bulkResult`; otherwise empty
     */
    public function __construct(
        public readonly string $batchReference,
        public readonly string $batchId,
        public readonly string $status,
        public readonly string $sha256,
        public readonly int $rows,
        public readonly int $accepted,
        public readonly int $refused,
        public readonly \DateTimeImmutable $postedTime,
        public readonly string $text,
        public readonly array $results,
    ) {
    }

    /**
     * @internal
     * @param list<BulkRow> $results
     */
    public static function of(Wire $wire, array $results = []): self
    {
        return new self(
            $wire->text('batch_reference'),
            $wire->text('batch_id'),
            $wire->text('batch_status'),
            $wire->text('sha256'),
            $wire->number('rows'),
            $wire->number('accepted'),
            $wire->number('refused'),
            $wire->time('posted_time'),
            $wire->text('text'),
            $results,
        );
    }
}
