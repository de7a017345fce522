<?php

declare(strict_types=1);

namespace Malipo;

/** The result of `fund` and of a reported collection. */
final class Movement
{
    /**
     * @param bool $moved false if there was nothing to move
     * @param string $reference identifies the movement: book each one once; empty if nothing was moved
     * @param bool $replayed true if an earlier request moved it; its answer may have told you about it already
     */
    public function __construct(
        public readonly bool $moved,
        public readonly int $amountCents,
        public readonly string $reference,
        public readonly bool $replayed,
        public readonly \DateTimeImmutable $postedTime,
        public readonly string $text,
    ) {
    }

    /** @internal */
    public static function of(Wire $wire, bool $replayed): self
    {
        return new self(
            $wire->number('status') === 1,
            $wire->cents('amount'),
            $wire->text('reference'),
            $replayed,
            $wire->time('posted_time'),
            $wire->text('text'),
        );
    }
}
