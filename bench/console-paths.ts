import { DIMENSIONS } from '../src/payments/reports/dimensions.ts';
import { partsOf } from '../src/staff/http.ts';
import type { HttpRoute } from '../src/staff/http.ts';

/**
 * Which paths of the console's API are measured: every GET route that is not in `NOT_MEASURED`, each with each of its
 * filters.
 */

export const CONSOLE_GROUPS = ['console lists', 'console searches', 'console charts'] as const;
export type ConsoleGroup = (typeof CONSOLE_GROUPS)[number];

/** Values by the name of a parameter. */
export type Samples = Readonly<Record<string, readonly string[]>>;

/** Values that exist in the filled database. */
export interface ConsoleSamples {
  readonly busyVid: string;
  readonly quietVid: string;
  readonly account: string;
  readonly phone: string;
  readonly merchantReference: string;
  /** Ours. */
  readonly reference: string;
  readonly caseId: string;
  readonly statementId: string;
  readonly scorecard: string;
  /** Days of the service's time zone. */
  readonly dayAgo: (days: number) => string;
}

interface Measured {
  readonly group: ConsoleGroup;
  /** Values of the path's parameters, instead of `namedIn`. Each one is a path of its own. */
  readonly params?: Samples;
  /** Instead of `FILTERS`. */
  readonly query?: Samples;
  /** Whole query strings: filters in combination. */
  readonly also?: readonly Readonly<Record<string, string>>[];
}

/** A path, and a route that its reader must be allowed to read. */
export interface MeasuredPath {
  readonly path: string;
  /** Body of a POST that reads: search texts are never in a URL. */
  readonly body?: Readonly<Record<string, string>>;
  readonly group: ConsoleGroup;
  readonly route: HttpRoute;
}

/** Finds payments by a text. */
export const SEARCH_PATH = '/payments/search';

const LISTS = { group: 'console lists' } as const;
const SEARCHES = { group: 'console searches' } as const;
const CHARTS = { group: 'console charts' } as const;

/** GET routes that are not measured, each with the reason. */
export const NOT_MEASURED: Readonly<Record<string, string>> = {
  '/proposals/:proposal': 'it is found by its primary key',
  '/jobs/:job': 'it is found by its primary key',
  '/vendors/:vid/account-statement/document':
    'it reads the pages of the statement, which are measured',
  '/summary-journals/:number': 'one journal, by its key; the bench has none',
  '/summary-journals/:number/file': 'one journal, by its key',
  '/invoices/:invoice': 'it is found by its primary key',
  '/invoices/:invoice/file': 'one invoice, by its key',
  '/messages/:message': 'one message, by its id',
  '/receipts/:receipt': 'one receipt, by its number',
  '/home/events': 'a stream; `watch` reads it while creates run',
  '/operators/:operator/products': 'it asks the operator',
  '/receipt-sources/:source/accounts': 'a page by a unique index; the bench has no source',
  '/receipt-sources/:source/urls': 'one source, by its key',
  '/receipt-sources/:source/pushes/:push': 'it asks the provider',
  '/bulk/:reference': 'one batch, by its key',
  '/credit/enquiries/:vid/:operation/:reference': 'one answer, by its key',
  '/credit/cases/:case': 'one case, by its key',
  '/credit/disputes/:dispute': 'one dispute, by its key',
  '/credit/proposals/:proposal': 'one proposal, by its key',
  '/credit/imports/:import': 'one import, by its key',
  '/credit/imports/:import/findings': 'the findings of one import, by its key',
  '/credit/lenders/:lender': 'one lender, by its key',
  '/credit/letters/adverse-action': 'a letter about one answer, by its key',
  '/credit/letters/consent-receipt': 'a letter about one answer, by its key',
  '/credit/monitor': 'it reads every enquiry; the page shows what was last measured',
};

function measuredRoutes(samples: ConsoleSamples): Readonly<Record<string, Measured>> {
  const { busyVid, dayAgo } = samples;
  const early = { from: dayAgo(60), to: dayAgo(31) };
  /** Books begin this month, if nothing else is asked for, so an earlier end needs a beginning. */
  const ofBooks = { query: { to: [] }, also: [early] };
  return {
    '/payments': {
      ...LISTS,
      query: {
        biller: ['dstv', 'gotv'],
        operator: ['kplc', 'safaricom'],
        vid: [busyVid, samples.quietVid],
        min: ['8990', '99999'],
        max: ['10', '0'],
      },
      also: [
        { vid: busyVid, status: 'FAILED', biller: 'dstv' },
        { from: dayAgo(60), to: dayAgo(59) },
      ],
    },
    '/payments/:reference': SEARCHES,
    '/vendors': { ...LISTS, query: { search: ['bench-0050', 'nobody'] } },
    '/vendors/:vid': { ...LISTS, params: { vid: [busyVid, samples.quietVid] } },
    '/vendors/:vid/account-statement': {
      ...LISTS,
      params: { vid: [busyVid, samples.quietVid] },
      ...{ ...ofBooks, query: { ...ofBooks.query, with_costs: ['true'] } },
    },
    '/operators/:operator/account-statement': { ...LISTS, ...ofBooks },
    '/operators/:operator/settlement': { ...CHARTS, ...ofBooks },
    '/billers/:biller': { ...CHARTS, params: { biller: ['kplc_prepaid', 'zuku'] } },
    '/routes': { ...LISTS, query: { biller: ['kplc_prepaid'] } },
    '/prices': { ...LISTS, query: { biller: ['kplc_prepaid'], replaced: ['true'] } },
    '/operator-prices': { ...LISTS, query: { biller: ['kplc_prepaid'], replaced: ['true'] } },
    '/billers/:biller/price': {
      ...LISTS,
      query: { amount: ['100'], vid: [busyVid] },
    },
    '/billers/:biller/products': { ...LISTS, params: { biller: ['dstv'] } },
    '/operators/:operator': CHARTS,
    '/protocols/:protocol': { ...LISTS, params: { protocol: ['daraja-b2b'] } },
    '/proposals': { ...LISTS, query: { kind: ['payout'] } },
    '/corrections': { ...LISTS, ...ofBooks },
    '/profit': { ...CHARTS, ...ofBooks },
    '/balance-sheet': { ...CHARTS, ...ofBooks },
    '/summary-settings': CHARTS,
    '/ledger/transfers': { ...LISTS, query: { ledger_account: ['suspense'] } },
    '/audit': { ...LISTS, also: [{ login: 'admin', from: dayAgo(30) }] },
    '/ledger': {
      ...CHARTS,
      ...ofBooks,
      also: [early, { ...early, vid: busyVid }, { from: dayAgo(90), vid: busyVid }],
    },
    '/ledger/:books/:account': {
      ...LISTS,
      params: { books: ['vendors'], account: ['float', 'operator:kplc'] },
      ...ofBooks,
      also: [early, { from: dayAgo(90), vid: busyVid }],
    },
    '/vat': { ...CHARTS, query: { month: [dayAgo(0).slice(0, 7), dayAgo(45).slice(0, 7)] } },
    '/margin': {
      ...CHARTS,
      query: { to: [], by: ['biller,day'] },
      also: [early, ...DIMENSIONS.map((by) => ({ from: dayAgo(90), by }))],
    },
    // A day that follows the closed one, a closed one, and one long before, which nothing closed.
    '/days/:day': { ...CHARTS, params: { day: [dayAgo(2), dayAgo(3), dayAgo(40), dayAgo(0)] } },
    '/days/:day/totals': { ...CHARTS, params: { day: [dayAgo(2), dayAgo(40)] } },
    '/home': CHARTS,
    '/banks/:bank': { ...CHARTS, ...ofBooks },
    '/banks/:bank/days': { ...CHARTS, ...ofBooks },
    '/credit/enquiries': { ...LISTS, query: { vid: ['demo'] } },
    '/credit/scorecards/:card': CHARTS,
    '/credit/overrides': { ...LISTS, query: { vid: ['demo'] } },
    '/credit/watches': { ...LISTS, query: { vid: ['demo'] } },
    '/credit/usage': CHARTS,
    '/credit/months': CHARTS,
  };
}

/** What the names in any path are. */
function namedIn(by: ConsoleSamples): Samples {
  return {
    reference: [by.reference],
    case: [by.caseId],
    vid: [by.busyVid],
    biller: ['kplc_prepaid'],
    operator: ['kplc'],
    bank: ['bank'],
    statement: [by.statementId],
    card: [by.scorecard],
  };
}

/** Values that a filter of any list is tried with. Values of an enumeration are all tried. */
function filters(by: ConsoleSamples): Samples {
  return {
    from: [by.dayAgo(90)],
    to: [by.dayAgo(45)],
    vid: [by.busyVid, by.quietVid],
    operator: ['kplc'],
    lender: ['no-such-lender'],
    login: ['admin', 'nobody'],
    action: ['biller.offline', 'no.such-action'],
    target: ['target-17', 'no-such-target'],
    reference: ['no-such-reference'],
    amount: ['100'],
    days: ['30'],
    limit: ['200'],
  };
}

/** Texts that are searched for in the list of payments. */
function searchTexts(by: ConsoleSamples): readonly string[] {
  return [
    ...[by.account, by.phone, by.merchantReference, by.reference, 'nobody-has-this'],
    ...['KES 1,450', '123.45', `${by.busyVid} ${by.dayAgo(40)}`, `${by.phone} ${by.busyVid}`],
  ];
}

/** Files have the rows of a list, page by page, or the figures of a report. */
export function isMeasured({ method, path }: HttpRoute): boolean {
  return method === 'GET' && !/\.(csv|xlsx)$/.test(path) && NOT_MEASURED[path] === undefined;
}

/** Every path to measure; one that is not named is a list. Throws if a parameter of a route has no sample. */
export function consolePaths(routes: readonly HttpRoute[], by: ConsoleSamples): MeasuredPath[] {
  const measured = measuredRoutes(by);
  const gets = routes.filter(isMeasured);
  const paths = gets.flatMap((route): MeasuredPath[] => {
    const how: Measured = measured[route.path] ?? LISTS;
    const queries = queriesOf(route, how, filters(by));
    return pathsOf(route.path, { ...namedIn(by), ...how.params }).flatMap((path) =>
      queries.map((query) => ({
        route,
        group: isSearch(query) ? 'console searches' : how.group,
        path: query === '' ? path : `${path}?${query}`,
      })),
    );
  });
  const search = routes.find(({ path }) => path === SEARCH_PATH);
  if (search === undefined) throw new Error(`there is no ${SEARCH_PATH}`);
  const searches = searchTexts(by).map((text) => {
    return { route: search, ...SEARCHES, path: SEARCH_PATH, body: { search: text } };
  });
  return [...paths, ...searches];
}

/** A list that is asked for one text only is a search. */
function isSearch(query: string): boolean {
  return /^(search|target)=/.test(query);
}

/** The path with each value of each of its parameters. */
function pathsOf(path: string, params: Samples): string[] {
  const [, name] = /:(\w+)/.exec(path) ?? [];
  if (name === undefined) return [path];
  const values = params[name];
  if (values === undefined) throw new Error(`bench/console-paths.ts has no :${name} of ${path}`);
  return values.flatMap((value) =>
    pathsOf(path.replace(`:${name}`, encodeURIComponent(value)), params),
  );
}

/** The list without a filter, with each filter alone, and with the combinations. */
function queriesOf(
  route: HttpRoute,
  { query = {}, also = [] }: Measured,
  common: Samples,
): string[] {
  const schema = partsOf(route.of).query;
  const required: Record<string, string> = {};
  const single: Record<string, string>[] = [];
  for (const [name, property] of Object.entries(schema?.properties ?? {})) {
    // The next page of a list is read by `nextPageOf`.
    if (name === 'cursor') continue;
    const values = query[name] ?? valuesOf(property) ?? common[name];
    if (values === undefined) {
      throw new Error(`bench/console-paths.ts has no value for ${name} of ${route.path}`);
    }
    const [first] = values;
    if (schema?.required?.includes(name) === true && first !== undefined) required[name] = first;
    else single.push(...values.map((value) => ({ [name]: value })));
  }
  const all: Readonly<Record<string, string>>[] = [{}, ...single, ...also];
  return all.map((chosen) => new URLSearchParams({ ...required, ...chosen }).toString());
}

/** Lists the values of an enumeration. */
function valuesOf(property: object): readonly string[] | undefined {
  if ('type' in property && property.type === 'boolean') return ['true', 'false'];
  if ('enum' in property && Array.isArray(property.enum)) return property.enum as string[];
  if (!('anyOf' in property) || !Array.isArray(property.anyOf)) return undefined;
  return property.anyOf.flatMap((one: { readonly const?: string }) => one.const ?? []);
}
