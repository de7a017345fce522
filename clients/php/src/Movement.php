<?php

declare(strict_types=1);

namespace Malipo;

/** The result of `fund` and of a reported collection. */
final class Movement
{
    /**
     * @param bool $moved false if there was nothing to move
     * @param string $reference empty if nothing was moved
     */
    public function __construct(
        public readonly bool $moved,
        public readonly int $amountCents,
        public readonly string $reference,
        public readonly \DateTimeImmutable $postedTime,
        public readonly string $text,
    ) {
    }

    /** @internal */
    public static function of(Wire $wire): self
    {
        return new self(
            $wire->number('status') === 1,
            $wire->cents('amount'),
            $wire->text('reference'),
            $wire->time('posted_time'),
            $wire->text('text'),
        );
    }
}
