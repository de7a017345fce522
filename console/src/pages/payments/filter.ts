/** The filters of the list of payments, as the address and the API have them. */
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

/** The same filter from its first page. */
export function withoutPage(filter: PaymentFilter): PaymentFilter {
  const { cursor: _, ...first } = filter;
  return first;
}
