<?php

declare(strict_types=1);

namespace Malipo;

final class Payment
{
    public const QUEUED = 'QUEUED';
    public const PENDING = 'PENDING';
    public const SUCCESS = 'SUCCESS';
    public const FAILED = 'FAILED';

    /**
     * @param string $reference the service’s reference (`ipay_reference`)
     * @param ?string $merchantReference null for a payment that another program created without one
     * @param string $status `SUCCESS` and `FAILED` are final; other values are not
     * @param ?string $message the operator’s text for people
     * @param ?string $failureCode why it failed; null unless `FAILED`; treat an unknown value as `other`
     * @param ?string $billerReference the operator’s reference; null unless `SUCCESS`
     * @param ?\DateTimeImmutable $billerResponseTime when the instruction that counted was sent
     * @param array<string, string> $details what the payment produced, such as `token` and `units`
     * @param bool $detailsPending paid, and more details follow, such as the token;
     *     `transaction.details_received` announces them
     */
    public function __construct(
        public readonly string $reference,
        public readonly ?string $merchantReference,
        public readonly string $status,
        public readonly ?string $message,
        public readonly ?string $failureCode,
        public readonly ?string $billerReference,
        public readonly ?\DateTimeImmutable $billerResponseTime,
        public readonly \DateTimeImmutable $postedTime,
        public readonly string $account,
        public readonly int $amountCents,
        public readonly string $billerName,
        public readonly array $details,
        public readonly bool $detailsPending = false,
    ) {
    }

    /** True only if the bill is paid. */
    public function isPaid(): bool
    {
        return $this->status === self::SUCCESS;
    }

    public function isFinal(): bool
    {
        return $this->status === self::SUCCESS || $this->status === self::FAILED;
    }

    /** @internal from `msg` of a status response, or `data` of an event about a payment */
    public static function of(Wire $wire): self
    {
        return new self(
            $wire->text('ipay_reference'),
            $wire->textOrNull('merchant_reference'),
            $wire->text('transaction_status'),
            $wire->textOrNull('transaction_message'),
            $wire->textOrNull('failure_code'),
            $wire->textOrNull('biller_reference'),
            $wire->timeOrNull('biller_response_time'),
            $wire->time('posted_time'),
            $wire->text('account'),
            $wire->cents('amount'),
            $wire->text('biller_name'),
            $wire->texts('details'),
            ($wire->fields['details_pending'] ?? null) === true,
        );
    }
}
