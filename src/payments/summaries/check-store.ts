import { formatMoney } from '../../platform/base/money.ts';
import type { Mac } from '../../platform/base/mac.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { lineNameOf } from '../house/account.ts';
import { listPosted } from '../house/store.ts';
import { readPairs } from '../ledger/sums.ts';
import { listLines } from './store.ts';
import { exportText, summaryNumber, summaryText } from './summary.ts';
import type { SummaryExport, SummaryJournal, SummaryLine } from './summary.ts';

type WithMac<Row> = Row & { readonly mac: Buffer };

/** `ledger check` of summary journals: numbers, codes, and that everything posted is in exactly one of them. */
export const SUMMARIES_CHECKED = {
  name: 'summaries_intact',
  says: 'Summary journals are as the service made them, numbered without gaps, each balanced; together they are what was posted to each account since the first began.',
  find: async (db: Queryable, mac: Mac): Promise<readonly string[]> => {
    const journals = (await db.query<WithMac<SummaryJournal>>(JOURNALS)).rows;
    const sums = new Map<string, bigint>();
    const found: string[] = [];
    for (const [index, journal] of journals.entries()) {
      const lines = await listLines(db, journal.number);
      found.push(...problemsOf(journal, lines, { mac, before: journals[index - 1] }));
      for (const { account, debitCents, creditCents } of lines) {
        sums.set(account, (sums.get(account) ?? 0n) + creditCents - debitCents);
      }
    }
    const exports = (await db.query<WithMac<SummaryExport>>(EXPORTS)).rows;
    const altered = exports.filter((row) => !mac.verify(exportText(row), row.mac));
    found.push(
      ...altered.map(({ number }) => `the export of ${summaryNumber(number)} was altered`),
    );
    return [...found, ...(await findDifferences(db, journals, sums))];
  },
} as const;

const JOURNALS = `select number, from_at as "fromAt", to_at as "toAt", made_at as "madeAt", mac
  from summary_journals order by number`;
const EXPORTS = `select number, exported_at as "exportedAt", exported_by as "exportedBy", reference, codes, mac
  from summary_exports order by number`;

function problemsOf(
  journal: WithMac<SummaryJournal>,
  lines: readonly SummaryLine[],
  { mac, before }: { readonly mac: Mac; readonly before: SummaryJournal | undefined },
): string[] {
  const name = summaryNumber(journal.number);
  const follows =
    journal.number === (before?.number ?? 0) + 1 &&
    (before === undefined || Number(before.toAt) === Number(journal.fromAt));
  const left = lines.reduce((sum, line) => sum + line.debitCents - line.creditCents, 0n);
  return [
    ...(mac.verify(summaryText(journal, lines), journal.mac) ? [] : [`${name} was altered`]),
    ...(follows ? [] : [`${name} does not begin where the one before ended`]),
    ...(left === 0n ? [] : [`${name} does not balance: ${formatMoney(left)}`]),
  ];
}

/** Accounts whose sum over all journals is not what was posted to them. */
async function findDifferences(
  db: Queryable,
  journals: readonly SummaryJournal[],
  sums: ReadonlyMap<string, bigint>,
): Promise<string[]> {
  const [from, to] = [journals.at(0)?.fromAt, journals.at(-1)?.toAt];
  if (from === undefined || to === undefined) return [];
  const posted = new Map<string, bigint>();
  const add = (account: string, cents: bigint): unknown =>
    posted.set(account, (posted.get(account) ?? 0n) + cents);
  const pairs = [
    ...(await readPairs(db, { from, to }, { vendorId: null, accounts: null })).map((row) => ({
      ...{ ...row, books: 'vendors' as const },
    })),
    ...(await listPosted(db, { from, to })).map((row) => ({ ...row, books: 'house' as const })),
  ];
  for (const { books, debitAccount, creditAccount, amountCents } of pairs) {
    add(lineNameOf(books, debitAccount).account, -amountCents);
    add(lineNameOf(books, creditAccount).account, amountCents);
  }
  return [...new Set([...sums.keys(), ...posted.keys()])].flatMap((account) => {
    const [one, other] = [sums.get(account) ?? 0n, posted.get(account) ?? 0n];
    if (one === other) return [];
    return [
      `summary journals have ${formatMoney(one)} of ${account}, the books ${formatMoney(other)}`,
    ];
  });
}
