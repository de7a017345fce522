<?php

declare(strict_types=1);

namespace Malipo;

final class BillerProducts
{
    /**
     * @param bool $onlyProducts true: only the amounts of these products are accepted
     * @param list<Product> $products
     */
    public function __construct(
        public readonly string $billerCode,
        public readonly bool $onlyProducts,
        public readonly array $products,
    ) {
    }

    /** @internal */
    public static function of(Wire $wire): self
    {
        return new self(
            $wire->text('biller_code'),
            $wire->flag('only_products'),
            array_map(Product::of(...), $wire->objects('products')),
        );
    }
}
