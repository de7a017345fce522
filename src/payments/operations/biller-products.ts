import { ifForVendors } from '../billers/biller.ts';
import { Type } from 'typebox';
import { vid } from '../../parties/http/fields.ts';
import { CURRENCY, formatMoney } from '../../platform/base/money.ts';
import type { Operation } from '../../platform/http/operation.ts';
import { headerStatus, moneyText, nullable } from '../../platform/http/schemas.ts';
import type { Biller } from '../billers/biller.ts';
import type { SoldProduct } from '../billers/product.ts';
import { EXAMPLE_BILLER } from './biller-on-wire.ts';
import type { BillerDeps } from './biller-on-wire.ts';
import { billerCode } from './fields.ts';
import { unknownBiller } from '../billers/unknown-biller.ts';

const request = Type.Object({ vid, biller_code: billerCode });
const product = Type.Object({
  name: Type.String({
    description: 'The operator’s name of the product.',
    examples: ['Compact bouquet'],
  }),
  minimum_amount: moneyText('The smallest `amount` of create that buys it.'),
  maximum_amount: moneyText('The largest such amount; equal to the smallest for a fixed price.'),
  value: nullable(
    Type.String({ description: 'What the customer gets, if it is not the amount itself.' }),
  ),
  validity: nullable(
    Type.String({ description: 'How long the customer can use it.', examples: ['30 DAY'] }),
  ),
});
const response = Type.Object({
  header_status: headerStatus,
  data: Type.Object({
    biller_code: Type.String({ description: 'Sent as `biller_name` to create.' }),
    only_products: Type.String({
      description: '`"true"` when create refuses amounts that buy none of the products.',
      examples: ['true'],
    }),
    products: Type.Array(product, {
      description: 'By amount. Empty if the operators of the biller list nothing.',
    }),
  }),
});

const EXAMPLE_PRODUCT = {
  name: 'Compact bouquet',
  minimum_amount: '1150.00',
  maximum_amount: '1150.00',
  value: '1 MONTH',
  validity: '30 DAY',
};

/** Returns the operators' products as vendors see them: without the operator, its codes and its prices. */
export function billerProducts({
  catalogue,
}: Pick<BillerDeps, 'catalogue'>): Operation<typeof request, typeof response, undefined> {
  return {
    name: 'billerProducts',
    method: 'GET',
    path: '/billing/biller/products',
    tag: 'Billing',
    summary: 'Products of a biller',
    description:
      'Bundles, bouquets and vouchers that can be bought with payments to the biller, with the amounts to pay. The amount of create decides which one is bought. Unsigned.',
    signedBy: undefined,
    request,
    response,
    refusals: { unknown_biller: {} },
    example: {
      request: { vid: 'demo', biller_code: EXAMPLE_BILLER.biller_code },
      answer: {
        header_status: 200,
        data: {
          biller_code: EXAMPLE_BILLER.biller_code,
          only_products: 'true',
          products: [EXAMPLE_PRODUCT],
        },
      },
    },
    handle: (asked) => {
      const biller = ifForVendors(catalogue.biller(asked.biller_code));
      if (biller === undefined) throw unknownBiller('biller_code', asked.biller_code);
      return {
        header_status: 200,
        data: {
          biller_code: biller.billerCode,
          only_products: String(biller.soldAmounts !== null && biller.soldAmounts.length > 0),
          products: onceEach(biller.products.flatMap((one) => onWire(one, biller))),
        },
      };
    },
  };
}

/** Empty if the biller takes none of the amounts. */
function onWire(
  { name, minimumCents, maximumCents, value, validity }: SoldProduct,
  limits: Pick<Biller, 'minimumCents' | 'maximumCents'>,
) {
  const least = minimumCents > limits.minimumCents ? minimumCents : limits.minimumCents;
  const most =
    limits.maximumCents === null || maximumCents < limits.maximumCents
      ? maximumCents
      : limits.maximumCents;
  if (least > most) return [];
  // Operators write an amount of money as value, too.
  const isAmount = value === '' || value.endsWith(` ${CURRENCY}`);
  return [
    {
      name,
      minimum_amount: formatMoney(least),
      maximum_amount: formatMoney(most),
      value: isAmount ? null : value,
      validity,
    },
  ];
}

/** Several operators may list the same product. */
function onceEach<Item>(items: readonly Item[]): Item[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}
