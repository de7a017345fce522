import { readVids } from '../../parties/read-vendors.ts';
import { encodeReference } from '../../parties/reference.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import { snapshot } from '../../platform/db/pool.ts';
import { readKeptReceipts } from '../cases/kept-receipts-store.ts';
import { AGES, ageLimits, ageOf, sumByAge } from './ages.ts';
import type { Age, ByAge } from './ages.ts';
import { openDebts } from './debts.ts';
import {
  listDebtAccounts,
  listDebtMovements,
  listReversed,
  readVendorsOfCases,
  sumUnknown,
} from './receivables-store.ts';
import type { DebtAccount, DebtRow, ReversedRow } from './receivables-store.ts';

/** A debt of a vendor or an operator to us, from one correction. */
export interface Receivable {
  readonly debtor: 'vendor' | 'operator';
  /** Vid or code. */
  readonly name: string;
  /** Null: no correction explains it; see `ledger check`. */
  readonly since: Date | null;
  readonly age: Age;
  /** The part that is still owed. */
  readonly amountCents: bigint;
  readonly owedCents: bigint;
  /** The payment's reference. */
  readonly reference: string | null;
  /** That two people decided. */
  readonly caseId: string | null;
  /** The open case about collecting it. */
  readonly openCaseId: string | null;
}

export interface ReceivablesReport {
  readonly at: Date;
  /** Oldest first. They sum to the ledger's accounts. */
  readonly items: readonly Receivable[];
  readonly byAge: ByAge;
  readonly totalCents: bigint;
}

/** Reports the debts of vendors and operators to us, each with its age. Reads one snapshot. */
export async function reportReceivables(pool: Pool, now: Date): Promise<ReceivablesReport> {
  const items = await snapshot(pool, async (client) => {
    const accounts = await listDebtAccounts(client);
    const vendorIds = [...new Set(accounts.map(({ vendorId }) => vendorId))];
    const movements = await listDebtMovements(client, vendorIds);
    const vids = await readVids(client);
    const caseIds = movements.map(({ caseId }) => caseId);
    const vendorOf = await readVendorsOfCases(client, caseIds);
    return accounts.flatMap((account) => itemsOf(account, movements, { vids, vendorOf, now }));
  });
  return { at: now, items: items.toSorted(bySince), ...totalsOf(items) };
}

const bySince = (one: Receivable, other: Receivable): number =>
  Number(one.since ?? 0) - Number(other.since ?? 0);

function totalsOf(items: readonly { readonly age: Age; readonly amountCents: bigint }[]) {
  const byAge = sumByAge(items);
  return { byAge, totalCents: byAge.reduce((sum, cents) => sum + cents, 0n) };
}

function itemsOf(
  account: DebtAccount,
  movements: readonly DebtRow[],
  {
    vids,
    vendorOf,
    now,
  }: {
    readonly vids: ReadonlyMap<number, string>;
    /** By case. */
    readonly vendorOf: ReadonlyMap<string, number>;
    readonly now: Date;
  },
): Receivable[] {
  const { vendorId } = account;
  const [, operator] = account.account.split(':');
  const whose =
    operator === undefined
      ? ({ debtor: 'vendor', name: vids.get(vendorId) ?? '' } as const)
      : ({ debtor: 'operator', name: operator } as const);
  const own = movements.filter(
    (row) => row.vendorId === vendorId && row.account === account.account,
  );
  const items = openDebts(own).map(({ movement, leftCents }): Receivable => {
    const { at, paymentId, caseId, openCaseId } = movement;
    return {
      ...whose,
      since: at,
      age: ageOf(at, now),
      amountCents: leftCents,
      owedCents: movement.amountCents,
      reference: referenceOf(paymentId, vendorOf.get(caseId) ?? vendorId),
      caseId,
      openCaseId,
    };
  });
  const explainedCents = items.reduce((sum, { amountCents }) => sum + amountCents, 0n);
  const restCents = account.amountCents - explainedCents;
  if (restCents === 0n) return items;
  const nothing = { since: null, reference: null, caseId: null, openCaseId: null };
  return [
    ...items,
    { ...whose, ...nothing, age: '>30', amountCents: restCents, owedCents: restCents },
  ];
}

/** The vendor is that of the case: the transfers may be between our own accounts. */
function referenceOf(paymentId: string | null, vendorId: number): string | null {
  return paymentId === null || vendorId === 0 ? null : encodeReference(vendorId, paymentId);
}

/** Payments with an operator whose outcome is unknown. */
export interface UnknownExposure {
  readonly operator: string;
  readonly count: number;
  readonly amountCents: bigint;
  /** In the order of `AGES`. */
  readonly ages: readonly { readonly count: number; readonly amountCents: bigint }[];
}

/** Credited income that its provider took back; nobody has decided yet what happens to it. */
export interface ReversedCollection {
  readonly vid: string;
  readonly issuer: string | null;
  readonly receipt: string | null;
  readonly caseId: string;
  readonly since: Date;
  readonly age: Age;
  readonly amountCents: bigint;
}

export interface ExposureReport {
  readonly at: Date;
  /** The instants at which the ages end, the newest first. */
  readonly limits: readonly [Date, Date, Date];
  readonly unknown: readonly UnknownExposure[];
  readonly unknownCents: bigint;
  readonly reversed: readonly ReversedCollection[];
  readonly reversedByAge: ByAge;
  readonly reversedCents: bigint;
}

/** Reports possible losses: payments that may have been executed, and income that was taken back. */
export async function reportExposure(pool: Pool, now: Date): Promise<ExposureReport> {
  const limits = ageLimits(now);
  return await snapshot(pool, async (client) => {
    const vids = await readVids(client);
    const unknown = new Map<string, UnknownExposure>();
    const none = AGES.map(() => ({ count: 0, amountCents: 0n }));
    for (const { operatorCode: operator, age, count, amountCents } of await sumUnknown(
      client,
      limits,
    )) {
      const known = unknown.get(operator) ?? { operator, count: 0, amountCents: 0n, ages: none };
      unknown.set(operator, {
        operator,
        count: known.count + count,
        amountCents: known.amountCents + amountCents,
        ages: known.ages.with(age, { count, amountCents }),
      });
    }
    const reversed = (await listStillReversed(client)).map(({ vendorId, at: since, ...row }) => ({
      ...row,
      vid: vids.get(vendorId) ?? '',
      since,
      age: ageOf(since, now),
    }));
    const { byAge: reversedByAge, totalCents: reversedCents } = totalsOf(reversed);
    const sums = [...unknown.values()];
    const unknownCents = sums.reduce((sum, { amountCents }) => sum + amountCents, 0n);
    return { at: now, limits, unknown: sums, unknownCents, reversed, reversedByAge, reversedCents };
  });
}

/** With what is still in the vendor’s books: another case about the same receipt may have taken some of it back. */
async function listStillReversed(db: Queryable): Promise<Omit<ReversedRow, 'receiptId'>[]> {
  const rows = await listReversed(db);
  const kept = new Map<string, bigint>();
  for (const [vendorId, own] of Map.groupBy(rows, (row) => row.vendorId)) {
    const receiptIds = own.flatMap(({ receiptId }) => receiptId ?? []);
    for (const [id, cents] of await readKeptReceipts(db, vendorId, receiptIds)) kept.set(id, cents);
  }
  return rows
    .map(({ receiptId, ...row }) => ({
      ...row,
      amountCents: smaller(row.amountCents, kept.get(receiptId ?? '') ?? row.amountCents),
    }))
    .filter(({ amountCents }) => amountCents > 0n);
}

function smaller(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}
