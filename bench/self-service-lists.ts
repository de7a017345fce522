import document from '../openapi.json' with { type: 'json' };
import { EVENT_STATES, EVENT_TYPES } from '../src/payments/events/event-types.ts';
import { PAYMENT_STATUSES } from '../src/payments/create/payment.ts';

/** Which lists below `/v1` are measured: every one with each of its filters. */

/** Values that exist in the filled database. */
export interface ListSamples {
  readonly account: string;
  readonly merchantReference: string;
  /** Ours. */
  readonly reference: string;
  /** Days of the service's time zone. */
  readonly dayAgo: (days: number) => string;
}

/** A list with a filter, as it is asked for. */
export interface MeasuredList {
  readonly path: string;
  readonly query: Filter;
}

type Filter = Readonly<Record<string, string>>;

const BILLERS = ['kplc_prepaid', 'safaricom', 'dstv', 'nairobi_water'];

/**
 * By path. A biller without payments is not among them: what matches nothing and has no index is
 * searched for a fifth of a second, and then the page ends.
 */
function filtersOf(samples: ListSamples): Readonly<Record<string, readonly Filter[]>> {
  const { dayAgo, account, reference, merchantReference } = samples;
  const each = (name: string, values: readonly string[]): Filter[] =>
    values.map((value) => ({ [name]: value }));
  const oneDay = { from: dayAgo(60), to: dayAgo(59) };
  return {
    '/v1/payments': [
      {},
      oneDay,
      { from: dayAgo(2) },
      { to: dayAgo(88) },
      { account },
      { reference },
      { merchant_reference: merchantReference },
      { biller: 'dstv', status: 'FAILED' },
      ...each('status', PAYMENT_STATUSES),
      ...each('biller', BILLERS),
    ],
    '/v1/statement': [
      {},
      oneDay,
      { from: dayAgo(2) },
      { from: dayAgo(90) },
      { from: dayAgo(89), to: dayAgo(88) },
    ],
    '/v1/events': [
      {},
      { state: 'given_up', type: 'transaction.succeeded' },
      { since: dayAgo(2) },
      { since: dayAgo(29) },
      { since: dayAgo(29), state: 'given_up' },
      { since: dayAgo(29), type: 'transaction.succeeded' },
      ...each('state', EVENT_STATES),
      ...each('type', EVENT_TYPES),
    ],
    '/v1/invoices': [{}],
    '/v1/requests': [{}, { only: 'refused' }],
    '/v1/enquiries': [
      {},
      { from: dayAgo(2) },
      { to: dayAgo(2) },
      { outcome: 'answered' },
      { request_reference: 'LOAN1' },
    ],
  };
}

/** Every list to measure. Throws if a list, or one of its filters, is missing. */
export function measuredLists(samples: ListSamples): MeasuredList[] {
  const filters = filtersOf(samples);
  return listsOfTheContract().flatMap(({ path, names }) => {
    const ofList = filters[path] ?? [];
    const tried = new Set(ofList.flatMap((filter) => Object.keys(filter)));
    const missing = names.filter((name) => !tried.has(name));
    if (ofList.length === 0 || missing.length > 0) {
      throw new Error(`bench/self-service-lists.ts has no ${missing.join(', ')} of ${path}`);
    }
    return ofList.map((query) => ({ path, query }));
  });
}

interface Described {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
}

/** They choose no rows. A `wait` ends when there is an event. */
const NO_FILTERS: ReadonlySet<string> = new Set(['vid', 'limit', 'cursor', 'wait']);

/** Lists in pages, with the names of their filters. */
function listsOfTheContract(): { readonly path: string; readonly names: readonly string[] }[] {
  const paths = document.paths as unknown as Readonly<Record<string, Record<string, Described>>>;
  return Object.entries(paths).flatMap(([path, { get: described }]) => {
    const inQuery = described?.parameters?.filter((one) => one.in === 'query') ?? [];
    const names = inQuery.map(({ name }) => name);
    if (!names.includes('cursor')) return [];
    return [{ path, names: names.filter((name) => !NO_FILTERS.has(name)) }];
  });
}
