import type { Noun } from './definition.ts';

interface Entry {
  /** The words of its commands. */
  readonly command: string;
  readonly load: () => Promise<Noun>;
}

/** Every noun. One is loaded only when it is needed, so that each command starts fast. */
export const NOUNS: readonly Entry[] = [
  { command: 'person', load: async () => (await import('./people.ts')).PEOPLE },
  { command: 'audit', load: async () => (await import('./audit.ts')).AUDIT },
  { command: 'token', load: async () => (await import('./tokens.ts')).TOKENS },
  { command: 'collector', load: async () => (await import('./collectors.ts')).COLLECTORS },
  { command: 'proposal', load: async () => (await import('./proposals.ts')).PROPOSALS },
  { command: 'payment', load: async () => (await import('./payments.ts')).PAYMENTS },
  { command: 'case', load: async () => (await import('./cases.ts')).CASES },
  { command: 'vendor', load: async () => (await import('./vendors.ts')).VENDORS },
  {
    command: 'vendor request',
    load: async () => (await import('./vendor-requests.ts')).VENDOR_REQUESTS,
  },
  { command: 'vendor top-up', load: async () => (await import('./vendor-top-ups.ts')).TOP_UPS },
  { command: 'webhook', load: async () => (await import('./webhooks.ts')).WEBHOOKS },
  { command: 'receipts', load: async () => (await import('./receipts.ts')).RECEIPTS },
  { command: 'statement', load: async () => (await import('./statements.ts')).STATEMENTS },
  { command: 'day', load: async () => (await import('./days.ts')).DAYS },
  { command: 'route', load: async () => (await import('./routes.ts')).ROUTES },
  { command: 'biller', load: async () => (await import('./billers.ts')).BILLERS },
  { command: 'price', load: async () => (await import('./prices.ts')).PRICES },
  { command: 'prefix', load: async () => (await import('./prefixes.ts')).PREFIXES },
  { command: 'vendor payout', load: async () => (await import('./payouts.ts')).PAYOUTS },
  { command: 'report', load: async () => (await import('./reports.ts')).REPORTS },
  { command: 'house', load: async () => (await import('./house.ts')).HOUSE },
  { command: 'house entry', load: async () => (await import('./entries.ts')).ENTRIES },
  { command: 'house journal', load: async () => (await import('./journals.ts')).JOURNALS },
];

/** Every noun with its definitions, for the service and the tests. */
export async function allNouns(): Promise<readonly Noun[]> {
  return await Promise.all(NOUNS.map(async ({ load }) => await load()));
}
