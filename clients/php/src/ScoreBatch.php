<?php

declare(strict_types=1);

namespace Malipo;

final class ScoreBatch
{
    /**
     * @param string $status `PROCESSING` or `DONE`
     * @param ?string $notice of `batchScoreResult`; otherwise null
     * @param list<array<mixed>> $results of `batchScoreResult`, as specified; otherwise empty
     */
    public function __construct(
        public readonly string $batchReference,
        public readonly string $batchId,
        public readonly string $status,
        public readonly string $product,
        public readonly string $sha256,
        public readonly int $rows,
        public readonly int $answered,
        public readonly int $refused,
        public readonly \DateTimeImmutable $postedTime,
        public readonly string $text,
        public readonly ?string $notice,
        public readonly array $results,
    ) {
    }

    /**
     * @internal
     * @param list<array<mixed>> $results
     */
    public static function of(Wire $wire, ?string $notice = null, array $results = []): self
    {
        return new self(
            $wire->text('batchReference'),
            $wire->text('batchId'),
            $wire->text('batchStatus'),
            $wire->text('product'),
            $wire->text('sha256'),
            $wire->number('rows'),
            $wire->number('answered'),
            $wire->number('refused'),
            $wire->time('postedTime'),
            $wire->text('text'),
            $notice,
            $results,
        );
    }
}
