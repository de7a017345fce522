import { CURRENCY, moneyNumber } from '../../../platform/base/money.ts';

/** The documented bodies and paths. Objects forbid unknown fields. */

/** The recipient of the product. */
export type CreditParty = { readonly account_number: string } | { readonly mobile_number: string };

export interface Order {
  readonly externalId: string;
  readonly productId: number;
  readonly creditParty: CreditParty;
  /** Null for a product of a fixed amount. */
  readonly amountCents: bigint | null;
  readonly confirmsItself: boolean;
  readonly callbackUrl: string;
}

export function createRequest(order: Order): object {
  return {
    external_id: order.externalId,
    product_id: order.productId,
    ...(order.amountCents !== null && {
      calculation_mode: 'DESTINATION_AMOUNT',
      destination: {
        unit_type: 'CURRENCY',
        unit: CURRENCY,
        amount: moneyNumber(order.amountCents),
      },
    }),
    auto_confirm: order.confirmsItself,
    credit_party_identifier: order.creditParty,
    callback_url: order.callbackUrl,
  };
}

export type Mode = 'async' | 'sync';

export const paths = {
  create: (mode: Mode) => `/${mode}/transactions`,
  confirm: (mode: Mode, id: string) => `/${mode}/transactions/${id}/confirm`,
  cancel: (id: string) => `/transactions/${id}/cancel`,
  transaction: (id: string) => `/transactions/${id}`,
  byExternalId: (externalId: string) =>
    `/transactions?external_id=${encodeURIComponent(externalId)}`,
  created: (by: { readonly from: Date; readonly to: Date; readonly page: number }) =>
    `/transactions?from_date=${by.from.toISOString()}&to_date=${by.to.toISOString()}&page=${by.page}&per_page=${PER_PAGE}`,
  balances: '/balances',
  products: (page: number) => `/products?country_iso_code=KEN&page=${page}&per_page=${PER_PAGE}`,
  statementInquiry: '/lookup/statement-inquiry',
  mobileNumber: '/lookup/mobile-number',
} as const;

/** The largest page size. */
export const PER_PAGE = 100;
