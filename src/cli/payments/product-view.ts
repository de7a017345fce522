import { rangeText } from '../../payments/billers/product.ts';
import type { Product, Range } from '../../connectors/operator.ts';
import { formatMoney } from '../../platform/base/money.ts';

/** Columns of a list of products. */
export const PRODUCT_TITLES = [
  { title: 'CODE' },
  { title: 'NAME' },
  { title: 'SERVICE', wide: true },
  { title: 'PROVIDER', wide: true },
  { title: 'VALUE' },
  { title: 'AMOUNT', align: 'right' },
  { title: 'WE PAY', align: 'right' },
  { title: 'VALID' },
  { title: 'REQUIRES', wide: true },
  { title: 'BILLERS', wide: true },
] as const;

export function productCells(product: Product): string[] {
  return [
    product.productCode,
    product.name,
    product.service,
    product.provider,
    product.value,
    product.amount === null ? '' : rangeText(product.amount),
    product.price === null ? '' : rangeText(product.price),
    product.validity ?? '',
    product.requires,
    product.billerCodes.join(' '),
  ];
}

/** Writes amounts as decimal text, for programs. */
export function productJson(product: Product): object {
  return {
    product_code: product.productCode,
    name: product.name,
    service: product.service,
    provider: product.provider,
    value: product.value,
    amount: rangeJson(product.amount),
    price: rangeJson(product.price),
    validity: product.validity,
    requires: product.requires,
    billers: product.billerCodes,
  };
}

function rangeJson(range: Range | null): object | null {
  return (
    range && {
      minimum: formatMoney(range.minimumCents),
      maximum: formatMoney(range.maximumCents),
      currency: range.currency,
    }
  );
}
