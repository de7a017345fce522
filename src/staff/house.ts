import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { AccountClass } from '../payments/house/account.ts';
import type { LedgerEntry } from '../payments/reports/ledger-entries.ts';
import { Refusal } from '../platform/base/errors.ts';
import { view } from './definition.ts';
import type { Noun } from './definition.ts';
import * as fields from './fields.ts';
import {
  inputOf,
  money,
  paging,
  text,
  textOrNull,
  time,
  timeOrNull,
  titled,
  vid,
} from './fields.ts';
import { pageByTime } from './pages.ts';
import { fit, wireOf } from './wire.ts';

const core = async () => ({
  ...(await import('../platform/base/period.ts')),
  ...(await import('../payments/house/trial-balance.ts')),
  ...(await import('../payments/reports/ledger-entries.ts')),
  ...(await import('../parties/require-vendor.ts')),
});

const CLASSES = [
  ...['asset', 'contra_asset', 'liability', 'contra_liability'],
  ...['equity', 'income', 'expense', 'clearing'],
] as AccountClass[];

/** Before a period, posted in it, and at its end. Of a balance, one of the two sides is 0. */
const sides = Type.Object({
  ...titled({ opening_debit: money, opening_credit: money, debits: money, credits: money }),
  ...titled({ debit: money, credit: money }),
});
const account = Type.Object({
  books: Type.Enum(['house', 'vendors'], { title: 'Books' }),
  account: text({ title: 'Account' }),
  class: Type.Enum(CLASSES, { title: 'Class', wide: true }),
  ...sides.properties,
});
/** `parts` are the accounts that it is the sum of. */
const summed = Type.Object({ ...account.properties, parts: Type.Array(account) });
const period = { from: time(), to: time({ description: 'not included' }), vid: textOrNull() };
const balance = Type.Object({
  ...period,
  accounts: Type.Array(summed),
  total: sides,
  is_even: Type.Boolean({ title: 'Debits equal credits', description: 'else the books are wrong' }),
});
export type SidesView = Static<typeof sides>;
export type AccountView = Static<typeof account>;
export type AccountSum = Static<typeof summed>;
export type TrialBalanceAnswer = Static<typeof balance>;

const SOURCES = [
  ...[
    'payment',
    'collection',
    'funding',
    'payout',
    'correction',
    'statement',
    'journal',
    'entry',
    'receipt',
  ],
] as LedgerEntry['source']['kind'][];

const entry = Type.Object({
  id: text(),
  posted_at: time({ title: 'Posted' }),
  moved_at: timeOrNull({ title: 'Moved', description: 'null: when it was posted', wide: true }),
  vid: textOrNull({ title: 'Vendor', isOptional: true }),
  ...titled({ movement: text, debit: text, credit: text, amount: money }),
  source: Type.Enum(SOURCES, { title: 'Source' }),
  /** The case, statement, payout, journal or entry. */
  source_id: textOrNull({ title: 'Source id', wide: true }),
  reference: textOrNull({ title: 'Reference' }),
  biller: textOrNull({ title: 'Biller', wide: true }),
  merchant_reference: textOrNull({ title: 'Merchant reference', wide: true }),
  operator: textOrNull({ title: 'Operator', wide: true }),
  operator_reference: textOrNull({ title: 'Operator’s reference', wide: true }),
  collector: textOrNull({ title: 'Collector', wide: true }),
});
export type LedgerEntryView = Static<typeof entry>;

const accountAnswer = Type.Object({
  ...period,
  /** Its line of the trial balance. */
  line: Type.Object(account.properties, { title: 'Account', spread: true }),
  entries: Type.Array(entry),
  next: fields.next,
});
export type AccountAnswer = Static<typeof accountAnswer>;

const ofVendor = {
  ...fields.bookPeriod,
  vid: Type.Optional(vid({ description: 'the accounts of this vendor alone' })),
};
const accountName = (options: fields.Options) =>
  Type.String({ pattern: '^[A-Za-z0-9_.:-]{1,100}$', form: 'the name of an account', ...options });

export const HOUSE: Noun = {
  command: 'house',
  summary: 'The books of the company that runs this service: floats with operators, banks.',
  definitions: [
    view(core, {
      name: 'house.trial-balance',
      summary:
        'Every account of the house, and those of all vendors together, over a period, by the time at which money moved: opening balance, debits, credits, and closing balance. Our float with an operator is one line, with what payments took from it. Fails unless debits equal credits.',
      route: 'GET /ledger',
      permission: 'finance.read',
      isLong: true,
      input: inputOf({
        ...ofVendor,
        parts: Type.Boolean({ default: false, description: 'each account by itself' }),
      }),
      output: balance,
      rows: 'accounts',
      total: 'total',
      empty: 'no accounts',
      failed: (answer) => !answer.is_even,
      handle: async ({ core: loaded, input, deps: { pool, wireTime, clock } }) => {
        const asked = loaded.readBookPeriod(input, { wireTime, now: clock.now() });
        const of = await loaded.vendorNamed(pool, input.vid);
        const found = await loaded.readTrialBalance(pool, asked, of?.vendorId ?? null);
        const lines = found.lines.map((line) => ({
          ...{ ...wireOf(line), parts: line.parts.map(wireOf) },
        }));
        return {
          ...{ ...wireOf(asked), vid: input.vid ?? null },
          accounts: input.parts
            ? lines.flatMap(({ parts }) => parts.map((part) => ({ ...part, parts: [] })))
            : lines,
          ...{ total: wireOf(found.total), is_even: found.isEven },
        };
      },
    }),
    view(core, {
      name: 'house.account',
      summary: 'An account over a period, and its transfers, newest first, with their causes.',
      route: 'GET /ledger/:books/:account',
      permission: 'finance.read',
      isLong: true,
      input: inputOf({
        books: Type.Enum(['house', 'vendors'], { description: 'ours, or those of vendors' }),
        account: accountName({ description: 'its name' }),
        ...{ ...ofVendor, ...paging(50) },
      }),
      output: accountAnswer,
      rows: 'entries',
      empty: 'no transfers',
      handle: async ({ core: loaded, input, deps: { pool, wireTime, clock } }) => {
        const now = clock.now();
        const asked = loaded.readBookPeriod(input, { wireTime, now });
        const vendor = await loaded.vendorNamed(pool, input.vid);
        const of = { ...input, vendorId: vendor?.vendorId ?? null };
        const line = await loaded.readAccountPeriod(pool, of, asked);
        if (line === undefined) {
          throw new Refusal('not_found', { text: 'There is no such account' });
        }
        const { from, to } = asked;
        const within = { from, to: loaded.untilNow(to, now) };
        const list =
          input.books === 'house'
            ? await housePage(input, async (page) =>
                loaded.listHouseEntries(pool, { account: input.account, period: within }, page),
              )
            : await loaded.listLedgerEntries(pool, of, { ...within, ...input, ...within });
        return {
          ...{ ...wireOf(asked), vid: input.vid ?? null, line: wireOf(line) },
          ...{ entries: list.entries.map(entryOf), next: list.next },
        };
      },
    }),
    view(core, {
      name: 'house.transfers',
      summary: 'Transfers of the house, newest first.',
      route: 'GET /ledger/transfers',
      permission: 'finance.read',
      input: inputOf({
        ledger_account: Type.Optional(
          accountName({ option: 'account', description: 'of this account only' }),
        ),
        ...paging(50),
      }),
      output: Type.Object({ transfers: Type.Array(entry), next: fields.next }),
      rows: 'transfers',
      empty: 'no transfers',
      handle: async ({ core: loaded, input, deps: { pool } }) => {
        const of = { account: input.ledger_account ?? null, period: null };
        const { entries, next } = await housePage(input, async (page) =>
          loaded.listHouseEntries(pool, of, page),
        );
        return { transfers: entries.map(entryOf), next };
      },
    }),
  ],
};

async function housePage(
  asked: { readonly cursor?: string; readonly limit: number },
  read: Parameters<typeof pageByTime<LedgerEntry>>[1],
) {
  const { shown: entries, next } = await pageByTime(asked, read, ({ postedAt, movedAt, id }) => ({
    ...{ at: movedAt ?? new Date(postedAt), id },
  }));
  return { entries, next };
}

function entryOf({ source, debitAccount, creditAccount, ...of }: LedgerEntry): LedgerEntryView {
  const { kind, ...cause } = source;
  const id = Object.entries(cause).find(([name]) => OWN_IDS.has(name))?.[1];
  return fit(entry, {
    ...{ ...wireOf(of), debit: debitAccount, credit: creditAccount, source: kind },
    ...{ ...wireOf(cause), source_id: id },
    ...('bankReference' in cause && { reference: cause.bankReference }),
  });
}

/** The id of a cause that is no payment. */
const OWN_IDS = new Set([
  ...['payoutId', 'caseId', 'statementId', 'journalId', 'receiptId', 'entryId'],
]);
