<?php

declare(strict_types=1);

namespace Malipo\Record;

final class InvoiceParty
{
    public function __construct(
        public readonly string $legalName,
        public readonly ?string $pin,
        public readonly string $address,
    ) {
    }
}
