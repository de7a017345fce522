<?php

declare(strict_types=1);

namespace Malipo;

final class Biller
{
    /**
     * @param string $code what `billerName` of a payment expects
     * @param ?int $maximumCents null: no maximum
     * @param int $feeCents taken from the float in addition to the amount; if it depends on the amount, that of the minimum
     * @param ?array<mixed> $feeFormula how a fee that depends on the amount is computed
     * @param bool $needsPhone true: payments need `phone`
     * @param string $accountFormat `msisdn`, or a regular expression
     * @param ?string $status `ONLINE` or `OFFLINE`; null in the list of billers
     */
    public function __construct(
        public readonly string $name,
        public readonly string $code,
        public readonly string $category,
        public readonly int $minimumCents,
        public readonly ?int $maximumCents,
        public readonly int $feeCents,
        public readonly ?array $feeFormula,
        public readonly bool $needsPhone,
        public readonly string $accountFormat,
        public readonly string $accountLabel,
        public readonly bool $canValidate,
        public readonly ?string $status,
    ) {
    }

    /** @internal */
    public static function of(Wire $wire): self
    {
        return new self(
            $wire->text('biller_name'),
            $wire->text('biller_code'),
            $wire->text('biller_category'),
            $wire->cents('minimum_balance'),
            $wire->centsOrNull('maximum_amount'),
            $wire->cents('fee'),
            isset($wire->fields['fee_formula']) ? $wire->object('fee_formula')->fields : null,
            $wire->flag('secondary_account'),
            $wire->text('account_format'),
            $wire->text('account_label'),
            $wire->flag('can_validate'),
            $wire->textOrNull('status'),
        );
    }
}
