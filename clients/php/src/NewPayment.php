<?php

declare(strict_types=1);

namespace Malipo;

final class NewPayment
{
    /**
     * @param string $billerName the biller’s code
     * @param int $amountCents 10000 is KES 100.00
     * @param string $merchantReference your own unique reference of this payment, such as an order
     *   number: 1 to 64 printable ASCII characters. It makes repeating safe, so this client requires it.
     * @param ?string $phone for billers with `needsPhone`
     */
    public function __construct(
        public readonly string $billerName,
        public readonly string $account,
        public readonly int $amountCents,
        public readonly string $merchantReference,
        public readonly ?string $phone = null,
    ) {
        // Without one, repeating a request that got no answer could pay twice.
        if (trim($merchantReference) === '') {
            throw new \InvalidArgumentException(
                'merchantReference is empty: it identifies the payment, so it is required',
            );
        }
    }

    /**
     * @internal
     * @return array<string, ?string>
     */
    public function parameters(): array
    {
        return [
            'biller_name' => $this->billerName,
            'account' => $this->account,
            'amount' => Money::decimalOf($this->amountCents),
            'merchant_reference' => $this->merchantReference,
            'phone' => $this->phone,
        ];
    }
}
