import { useLocation, useSearch } from '@tanstack/react-router';
import type { PaymentsFound } from '../../../../src/staff/payments.ts';

/** The filters of the list of payments, as the API has them. */
export const FILTERS = [
  'search',
  'as',
  'status',
  'biller',
  'operator',
  'vid',
  'min',
  'max',
  'from',
  'to',
] as const;

export type PaymentFilter = Partial<Record<(typeof FILTERS)[number] | 'cursor', string>>;

/** What the address says, without anything else. */
export function readFilter(search: Record<string, unknown>): PaymentFilter {
  const filter: PaymentFilter = {};
  for (const name of [...FILTERS, 'cursor'] as const) {
    const value = search[name];
    if (typeof value === 'string' && value !== '') filter[name] = value;
  }
  return filter;
}

/** The filter of the address, with the search text of the history's entry. */
export function usePaymentFilter(): PaymentFilter {
  const address: PaymentFilter = useSearch({ from: '/shell/payments' });
  const sought = useLocation({ select: ({ state }) => state.sought });
  const as = useLocation({ select: ({ state }) => state.soughtAs });
  return sought === undefined ? address : { ...address, search: sought, ...(as && { as }) };
}

/**
 * Where a filter leads. A search text may be a customer's phone number or account: it is kept with the
 * entry of the browser's history, and not in the address, which logs and histories keep.
 */
export function toPayments({ search, as, ...address }: PaymentFilter, page?: number) {
  const sought = search === undefined ? {} : { sought: search, ...(as && { soughtAs: as }) };
  return {
    to: '/payments',
    search: address,
    state: { ...sought, ...(page !== undefined && { page }) },
  } as const;
}

/** Whether the text has personal data, as the service understood it. */
export function isPersonal({ understood }: Pick<PaymentsFound, 'understood'>): boolean {
  return understood.some(({ kind }) => kind === 'phone' || kind === 'text');
}

/** The same filter from its first page. */
export function withoutPage(filter: PaymentFilter): PaymentFilter {
  const { cursor: _, ...first } = filter;
  return first;
}
