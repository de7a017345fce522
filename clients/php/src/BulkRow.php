<?php

declare(strict_types=1);

namespace Malipo;

final class BulkRow
{
    /**
     * @param string $result `ACCEPTED`, `REFUSED` or `WAITING`
     * @param bool $replayed true if the row is accepted, but as a payment that existed before: it is not paid again
     * @param ?string $code the error code of a refused row
     */
    public function __construct(
        public readonly int $row,
        public readonly ?string $merchantReference,
        public readonly string $result,
        public readonly bool $replayed,
        public readonly ?string $reference,
        public readonly ?\DateTimeImmutable $postedTime,
        public readonly ?string $code,
        public readonly ?string $text,
        public readonly ?string $field,
    ) {
    }

    /** @internal */
    public static function of(Wire $wire): self
    {
        return new self(
            $wire->number('row'),
            $wire->textOrNull('merchant_reference'),
            $wire->text('result'),
            ($wire->fields['replayed'] ?? null) === true,
            $wire->textOrNull('ipay_reference'),
            $wire->timeOrNull('posted_time'),
            $wire->textOrNull('code'),
            $wire->textOrNull('text'),
            $wire->textOrNull('field'),
        );
    }
}
