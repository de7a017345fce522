import type { Noun } from './definition.ts';

interface Entry {
  /** The words of its commands. */
  readonly command: string;
  readonly load: () => Promise<Noun>;
}

/** Every noun. One is loaded only when it is needed, so that each command starts fast. */
export const NOUNS: readonly Entry[] = [
  { command: 'person', load: async () => (await import('./people.ts')).PEOPLE },
  { command: 'job', load: async () => (await import('./jobs.ts')).JOBS },
  { command: 'ledger', load: async () => (await import('./ledger.ts')).LEDGER },
  { command: 'audit', load: async () => (await import('./audit.ts')).AUDIT },
  { command: 'token', load: async () => (await import('./tokens.ts')).TOKENS },
  { command: 'collector', load: async () => (await import('./collectors.ts')).COLLECTORS },
  { command: 'proposal', load: async () => (await import('./proposals.ts')).PROPOSALS },
  { command: 'pay', load: async () => (await import('./pay.ts')).PAY },
  { command: 'bulk', load: async () => (await import('./bulk.ts')).BULK },
  { command: 'payment', load: async () => (await import('./payments.ts')).PAYMENTS },
  { command: 'case', load: async () => (await import('./cases.ts')).CASES },
  { command: 'vendor', load: async () => (await import('./vendors.ts')).VENDORS },
  {
    command: 'vendor request',
    load: async () => (await import('./vendor-requests.ts')).VENDOR_REQUESTS,
  },
  { command: 'vendor top-up', load: async () => (await import('./vendor-top-ups.ts')).TOP_UPS },
  { command: 'webhook', load: async () => (await import('./webhooks.ts')).WEBHOOKS },
  { command: 'income', load: async () => (await import('./income.ts')).INCOME },
  { command: 'receipts', load: async () => (await import('./receipts.ts')).RECEIPTS },
  {
    command: 'receipts source',
    load: async () => (await import('./receipt-sources.ts')).RECEIPT_SOURCES,
  },
  {
    command: 'receipts account',
    load: async () => (await import('./receipt-sources.ts')).RECEIPT_ACCOUNTS,
  },
  { command: 'statement', load: async () => (await import('./statements.ts')).STATEMENTS },
  {
    command: 'account-statement',
    load: async () => (await import('./account-statements.ts')).ACCOUNT_STATEMENTS,
  },
  { command: 'day', load: async () => (await import('./days.ts')).DAYS },
  { command: 'route', load: async () => (await import('./routes.ts')).ROUTES },
  { command: 'operator', load: async () => (await import('./operators.ts')).OPERATORS },
  { command: 'biller', load: async () => (await import('./billers.ts')).BILLERS },
  { command: 'price', load: async () => (await import('./prices.ts')).PRICES },
  { command: 'prefix', load: async () => (await import('./prefixes.ts')).PREFIXES },
  { command: 'vendor payout', load: async () => (await import('./payouts.ts')).PAYOUTS },
  { command: 'system', load: async () => (await import('./system.ts')).SYSTEM },
  { command: 'overview', load: async () => (await import('./overview.ts')).OVERVIEW },
  { command: 'report', load: async () => (await import('./reports.ts')).REPORTS },
  { command: 'house', load: async () => (await import('./house.ts')).HOUSE },
  { command: 'house entry', load: async () => (await import('./entries.ts')).ENTRIES },
  { command: 'house journal', load: async () => (await import('./journals.ts')).JOURNALS },
  { command: 'credit', load: async () => (await import('./credit-monitor.ts')).CREDIT },
  {
    command: 'credit override',
    load: async () => (await import('./credit-monitor.ts')).CREDIT_OVERRIDES,
  },
  {
    command: 'credit scorecard',
    load: async () => (await import('./credit-scorecards.ts')).CREDIT_SCORECARDS,
  },
  {
    command: 'credit letter',
    load: async () => (await import('./credit-documents.ts')).CREDIT_LETTERS,
  },
  {
    command: 'credit enquiries',
    load: async () => (await import('./credit-enquiries.ts')).CREDIT_ENQUIRIES,
  },
  {
    command: 'credit imports',
    load: async () => (await import('./credit-imports.ts')).CREDIT_IMPORTS,
  },
  {
    command: 'credit merge',
    load: async () => (await import('./credit-merges.ts')).CREDIT_MERGES,
  },
  {
    command: 'credit withdraw',
    load: async () => (await import('./credit-accounts.ts')).CREDIT_WITHDRAWALS,
  },
  {
    command: 'credit sale',
    load: async () => (await import('./credit-accounts.ts')).CREDIT_SALES,
  },
  {
    command: 'credit deceased',
    load: async () => (await import('./credit-accounts.ts')).CREDIT_LIVES,
  },
  {
    command: 'credit suppression',
    load: async () => (await import('./credit-rules.ts')).CREDIT_RULES,
  },
  { command: 'credit case', load: async () => (await import('./credit-cases.ts')).CREDIT_CASES },
  {
    command: 'credit dispute',
    load: async () => (await import('./credit-cases.ts')).CREDIT_DISPUTES,
  },
  {
    command: 'credit proposal',
    load: async () => (await import('./credit-proposals.ts')).CREDIT_PROPOSALS,
  },
];

/** Every noun with its definitions, for the service and the tests. */
export async function allNouns(): Promise<readonly Noun[]> {
  return await Promise.all(NOUNS.map(async ({ load }) => await load()));
}
