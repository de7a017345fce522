import { createHash } from 'node:crypto';
import { lineNameOf, operatorOf } from '../house/account.ts';
import type { AccountClass, Books } from '../house/account.ts';
import type { SummaryDimension } from './dimensions.ts';

/** A summary journal: everything that was posted from `fromAt` on and before `toAt`, in lines that balance. */
export interface SummaryJournal {
  readonly number: number;
  readonly fromAt: Date;
  readonly toAt: Date;
  readonly madeAt: Date;
}

/** A sum of an account on one side or both. */
export interface SummaryLine {
  /** The value date, YYYY-MM-DD; of a monthly journal, the last day of its month. */
  readonly day: string;
  /** A line of the trial balance. */
  readonly account: string;
  readonly class: AccountClass;
  /** Null: not summed by it, or of none. */
  readonly vendorId: number | null;
  readonly billerCode: string | null;
  readonly operatorCode: string | null;
  readonly debitCents: bigint;
  readonly creditCents: bigint;
}

/** What was posted between two accounts of the same books. */
export interface Posted {
  readonly books: Books;
  readonly day: string;
  readonly vendorId: number | null;
  /** Of the payment; null: of none. */
  readonly billerCode: string | null;
  readonly operatorCode: string | null;
  readonly debitAccount: string;
  readonly creditAccount: string;
  readonly amountCents: bigint;
}

/** `SJ-000042`. */
export const summaryNumber = (number: number): string => `SJ-${String(number).padStart(6, '0')}`;

/**
 * The lines of what was posted, in the order of day, account and dimensions. Billers, and operators that the name of the
 * account does not say, are those of income and expenses alone: other balances would not net to zero for each of them.
 * Pure.
 */
export function summarize(
  posted: readonly Posted[],
  dimensions: readonly SummaryDimension[],
): SummaryLine[] {
  const sums = new Map<string, SummaryLine>();
  const add = (row: Posted, side: 'debit' | 'credit'): void => {
    const account = side === 'debit' ? row.debitAccount : row.creditAccount;
    const line = lineNameOf(row.books, account);
    const isProfit = line.class === 'income' || line.class === 'expense';
    const of = {
      ...{ day: row.day, account: line.account, class: line.class },
      vendorId: dimensions.includes('vendor') ? row.vendorId : null,
      billerCode: isProfit && dimensions.includes('biller') ? row.billerCode : null,
      operatorCode: dimensions.includes('operator')
        ? (operatorOf(account) ?? (isProfit ? row.operatorCode : null))
        : null,
    };
    const key = JSON.stringify(Object.values(of));
    const { debitCents, creditCents } = sums.get(key) ?? { debitCents: 0n, creditCents: 0n };
    sums.set(key, {
      ...of,
      debitCents: debitCents + (side === 'debit' ? row.amountCents : 0n),
      creditCents: creditCents + (side === 'credit' ? row.amountCents : 0n),
    });
  };
  for (const row of posted) {
    add(row, 'debit');
    add(row, 'credit');
  }
  return [...sums].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, line]) => line);
}

/** What the authentication code of a summary journal covers. */
export function summaryText(journal: SummaryJournal, lines: readonly SummaryLine[]): string {
  const { number, fromAt, toAt, madeAt } = journal;
  const rows = lines.map((line) => [
    ...[line.day, line.account, line.class, line.vendorId, line.billerCode, line.operatorCode],
    ...[String(line.debitCents), String(line.creditCents)],
  ]);
  const hash = createHash('sha256').update(JSON.stringify(rows)).digest('hex');
  return JSON.stringify(['summary_journals', number, fromAt, toAt, madeAt, hash]);
}

/** A summary journal that is in the accounting software. */
export interface SummaryExport {
  readonly number: number;
  readonly exportedAt: Date;
  readonly exportedBy: string;
  readonly reference: string;
  /** JSON: the codes then. */
  readonly codes: string;
}

/** What its authentication code covers. */
export function exportText({ number, exportedAt, exportedBy, ...of }: SummaryExport): string {
  const { reference, codes } = of;
  return JSON.stringify(['summary_exports', number, exportedAt, exportedBy, reference, codes]);
}

/** The company's own codes of accounts, by the account or the part of its name before the colon. */
export type Codes = Readonly<Record<string, string>>;

/** Undefined: it has none. Pure. */
export function codeOf(account: string, codes: Codes): string | undefined {
  return codes[account] ?? codes[account.split(':')[0] ?? ''];
}
