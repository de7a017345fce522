<?php

declare(strict_types=1);

namespace Malipo\Record;

/** An invoice with both parties and its lines. */
final class Invoice
{
    /**
     * @param string $kind `invoice` or `credit_note`
     * @param ?string $credits number of the invoice that a credit note names
     * @param ?string $payment reference of the only payment; null: those of a period
     * @param ?string $controlNumber from the control unit of the tax authority
     * @param list<InvoiceLine> $lines one for each biller and price
     */
    public function __construct(
        public readonly string $invoice,
        public readonly string $number,
        public readonly string $kind,
        public readonly \DateTimeImmutable $issuedAt,
        public readonly \DateTimeImmutable $from,
        public readonly \DateTimeImmutable $to,
        public readonly ?string $credits,
        public readonly ?string $payment,
        public readonly int $netCents,
        public readonly int $exciseCents,
        public readonly int $vatCents,
        public readonly int $totalCents,
        public readonly ?string $controlNumber,
        public readonly ?string $qrCode,
        public readonly string $currency,
        public readonly InvoiceParty $seller,
        public readonly InvoiceParty $buyer,
        #[ListOf(InvoiceLine::class)]
        public readonly array $lines,
    ) {
    }
}
