import { decodeReference } from '../../../src/parties/reference.ts';
import type { Pool } from '../../../src/platform/db/pool.ts';
import { checkLedger } from '../../../src/payments/audit/check.ts';
import type { TruthEntry } from '../../support/sandbox.ts';
import type { Load, Order } from './load.ts';
import { isLeftToPeople, isPaidAndLeftToPeople, readPayments } from './payments.ts';
import type { PaymentRow as Row } from './payments.ts';

/** The result of a run: numbers of payments, and a line for everything that is wrong. */
export interface Judgement {
  readonly accepted: number;
  /** Open, with a case for people, because the result cannot be found out. */
  readonly openWithCase: number;
  /** Payments that an answer accepted, but that are missing or different in the database. */
  readonly lost: readonly string[];
  /** Paid more than once, or instructed again although the operator had the instruction. */
  readonly paidTwice: readonly string[];
  /**
   * Everything else: the ledger's invariants, the ledger against the operators' records, unexplained
   * money.
   */
  readonly violations: readonly string[];
}

/** Compares the answers to vendors, the database, and what the operators really paid. */
export async function judge(options: {
  readonly pool: Pool;
  readonly load: Load;
  readonly truth: readonly TruthEntry[];
  readonly repeated: readonly string[];
}): Promise<Judgement> {
  const { pool, load } = options;
  const all = await readPayments(pool);
  const rows = new Map(all.map((row) => [`${row.vendor_id} ${row.payment_id}`, row]));
  const orders = new Map(load.orders.map((order) => [nameOf(order), order]));
  // Each order has a different account, which every operator knows.
  const paid = new Map<string, TruthEntry[]>();
  for (const entry of options.truth) {
    paid.set(entry.account, [...(paid.get(entry.account) ?? []), entry]);
  }
  const ledger = await checkLedger(pool);
  return {
    accepted: load.accepted,
    openWithCase: all.filter(isLeftToPeople).length,
    lost: load.orders.flatMap((order) => findLost(order, rows)),
    paidTwice: [
      ...[...paid]
        .filter(([, times]) => times.length > 1)
        .map(([, times]) => JSON.stringify(times)),
      ...[...new Set(options.repeated)].map((reference) => `${reference}: instructed again`),
    ],
    violations: [
      ...load.findings,
      ...ledger.violations.map((violation) => JSON.stringify(violation)),
      ...findDuplicates(all),
      ...all.flatMap((row) => againstOrder(row, orders)),
      ...options.truth.flatMap((entry) => misnamed(entry, rows)),
      ...againstTruth(all, paid),
      ...(await againstCollectors(pool, load)),
    ],
  };
}

function nameOf(order: { readonly vid: string; readonly merchantReference: string }): string {
  return `${order.vid} ${order.merchantReference}`;
}

function rowOf(reference: string, rows: ReadonlyMap<string, Row>): Row | undefined {
  const location = decodeReference(reference);
  return location === undefined
    ? undefined
    : rows.get(`${location.vendorId} ${location.paymentId}`);
}

function findLost(order: Order, rows: ReadonlyMap<string, Row>): string[] {
  return [...order.references]
    .filter((reference) => {
      const row = rowOf(reference, rows);
      return (
        row?.merchant_reference !== order.merchantReference ||
        row.vid !== order.vid ||
        row.account !== order.account ||
        row.amount !== order.amount
      );
    })
    .map((reference) => `${nameOf(order)}: ${reference}`);
}

/** Finds orders with two payments. */
function findDuplicates(rows: readonly Row[]): string[] {
  const seen = new Set<string>();
  return rows.flatMap((row) => {
    const name = `${row.vid} ${row.merchant_reference}`;
    const isTwin = seen.has(name);
    seen.add(name);
    return isTwin ? [`${name} has two payments`] : [];
  });
}

function againstOrder(row: Row, orders: ReadonlyMap<string, Order>): string[] {
  const name = `${row.vid} ${row.merchant_reference}`;
  const order = orders.get(name);
  if (order === undefined) return [`${name} was never ordered`];
  const { references, finals } = order;
  const wrong = [...finals].filter((final) => final.toLowerCase() !== row.outcome);
  return [
    ...(references.size === 1 ? [] : [`${name} has ${references.size} references`]),
    ...wrong.map((final) => `${name} was reported as ${final} and is ${row.outcome}`),
  ];
}

/** An operator that knows our reference paid what the reference names. */
function misnamed({ reference, account }: TruthEntry, rows: ReadonlyMap<string, Row>): string[] {
  if (decodeReference(reference) === undefined) return [];
  const named = rowOf(reference, rows)?.account;
  return named === account ? [] : [`${reference} is about ${named}, and ${account} was paid`];
}

/** Compares every outcome with the operators' records. Only payments that cannot be resolved may be open. */
function againstTruth(
  rows: readonly Row[],
  paid: ReadonlyMap<string, readonly TruthEntry[]>,
): string[] {
  const known = new Set(rows.map(({ account }) => account));
  const strangers = [...paid.keys()].filter((account) => !known.has(account));
  return [
    ...strangers.map((account) => `${account} was paid but has no payment`),
    ...rows.flatMap((row) => {
      const [entry] = paid.get(row.account) ?? [];
      const expected = expectedOutcome(row, entry !== undefined);
      const found = `${row.vid} ${row.merchant_reference}, account ${row.account}: ${row.outcome}`;
      if (row.outcome !== expected) return [`${found} instead of ${expected}`];
      if (entry !== undefined && entry.amount !== row.amount) {
        return [`${found}, ${entry.amount} was paid instead of ${row.amount}`];
      }
      return [];
    }),
  ];
}

function expectedOutcome(row: Row, isPaid: boolean): Row['outcome'] {
  if (row.account.endsWith('9909')) return null;
  if (isPaid ? isPaidAndLeftToPeople(row) : isLeftToPeople(row)) return null;
  return isPaid ? 'success' : 'failed';
}

async function againstCollectors(pool: Pool, load: Load): Promise<string[]> {
  const read = await pool.query<{ vid: string; total: bigint }>(
    `select vid, -sum(balance_cents)::bigint as total
     from accounts join vendors using (vendor_id) where account like 'collector:%' group by vid`,
  );
  return read.rows
    .filter(({ vid, total }) => total !== (load.collectedCents.get(vid) ?? 0n))
    .map(
      ({ vid, total }) =>
        `${vid} has ${total} cents, which differs from the collectors' confirmed total`,
    );
}
