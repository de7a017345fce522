<?php

declare(strict_types=1);

namespace Malipo;

final class AccountValidation
{
    /**
     * @param string $text `SUCCESS`, or why the account is not valid
     * @param ?string $dueDate `YYYY-MM-DD`
     */
    public function __construct(
        public readonly bool $valid,
        public readonly string $text,
        public readonly string $account,
        public readonly ?string $name,
        public readonly ?int $amountDueCents,
        public readonly ?string $dueDate,
        public readonly ?string $prefix,
    ) {
    }

    /** @internal */
    public static function of(Wire $wire, Wire $account): self
    {
        return new self(
            $wire->text('text') === 'SUCCESS',
            $wire->text('text'),
            $account->text('account'),
            $account->textOrNull('name'),
            $account->centsOrNull('amountdue'),
            $account->textOrNull('due_date'),
            $wire->textOrNull('prefix'),
        );
    }
}
