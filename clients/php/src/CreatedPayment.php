<?php

declare(strict_types=1);

namespace Malipo;

/** An accepted payment. It is queued, not paid yet. */
final class CreatedPayment
{
    /**
     * @param string $reference the service’s reference (`ipay_reference`)
     * @param bool $replayed true if this reference was accepted before; the payment is the same one
     */
    public function __construct(
        public readonly string $reference,
        public readonly \DateTimeImmutable $postedTime,
        public readonly int $feeCents,
        public readonly bool $replayed,
        public readonly string $text,
    ) {
    }

    /** @internal */
    public static function of(Wire $wire, bool $replayed): self
    {
        return new self(
            $wire->text('ipay_reference'),
            $wire->time('posted_time'),
            $wire->cents('fee'),
            $replayed,
            $wire->text('text'),
        );
    }
}
