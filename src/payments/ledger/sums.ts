import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { readHorizon } from '../../platform/cluster/horizon.ts';
import { databaseTransaction } from '../../platform/db/pool.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import { startPeriodicJob } from '../../platform/jobs/periodic-job.ts';
import type { PeriodicJob } from '../../platform/jobs/periodic-job.ts';
import { readChainEnd } from './chain.ts';
import {
  computeHours,
  findFirstTransfer,
  insertDays,
  insertHours,
  insertWeeks,
  lockSummedUntil,
  readSummedPairs,
  readSummedUntil,
  readTransferPairs,
  readVendorPairs,
  setSummedUntil,
  takeYourTime,
} from './sums-store.ts';
import type {
  HourSum,
  PairSum,
  Span,
  SumFilter,
  SumUnit,
  VendorPairsSource,
  VendorPairSum,
} from './sums-store.ts';

/** Weeks of the vendors are made of their days. */
type Unit = SumUnit | 'week';

const UNIT_MS: Readonly<Record<Unit, number>> = {
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
};
/** A Monday, where an hour and a day begin as well. */
const ORIGIN_MS = Date.UTC(1970, 0, 5);

/** Summed in one database transaction. */
const SPAN_MS = UNIT_MS.day;

function rounded(time: Date, unit: Unit, round: (units: number) => number): Date {
  const units = (time.getTime() - ORIGIN_MS) / UNIT_MS[unit];
  return new Date(round(units) * UNIT_MS[unit] + ORIGIN_MS);
}
const roundDown = (time: Date, unit: Unit): Date => rounded(time, unit, Math.floor);
const roundUp = (time: Date, unit: Unit): Date => rounded(time, unit, Math.ceil);

/**
 * Sums the next whole hours or days to which nothing can be added any more. Returns whether there
 * were any.
 */
export async function extendSums(pool: Pool, unit: SumUnit): Promise<boolean> {
  return await databaseTransaction(pool, async (client) => {
    await takeYourTime(client);
    const until = await lockSummedUntil(client, unit);
    const horizon = await readHorizon(client);
    if (horizon === undefined) return false;
    // Separate statements, whose snapshots are newer than the horizon.
    const end = roundDown(new Date(horizon), unit);
    const first = await findFirstTransfer(client, { from: until ?? null, to: end });
    if (first === undefined) return false;
    const from = roundDown(first, unit);
    const to = new Date(Math.min(from.getTime() + SPAN_MS, end.getTime()));
    if (unit === 'hour') {
      await insertHours(client, addHours(await computeHours(client, { from, to })));
    } else {
      await insertDays(client, { from, to });
      // Days without transfers are passed over, so more than the last week may have ended.
      const weeks = { from: roundDown(until ?? from, 'week'), to: roundDown(to, 'week') };
      if (weeks.from < weeks.to) await insertWeeks(client, weeks);
    }
    await setSummedUntil(client, unit, to);
    return true;
  });
}

/** The same over everything that has ended. */
export async function completeSums(pool: Pool, signal?: AbortSignal): Promise<void> {
  const isStopped = (): boolean => signal?.aborted === true;
  for (const unit of ['hour', 'day'] as const) {
    while (!isStopped() && (await extendSums(pool, unit)));
  }
}

/** Sums periodically, outside the hot path. */
export function startSums(options: {
  readonly pool: Pool;
  readonly everyMs: number;
  readonly log: Logger;
}): PeriodicJob {
  return startPeriodicJob({
    ...options,
    atOnce: true,
    work: async (signal) => await completeSums(options.pool, signal),
    failureText: 'transfers could not be summed',
  });
}

/** Sums of the same hour from several buckets become one. Pure. */
export function addHours(sums: readonly HourSum[]): HourSum[] {
  const added = new Map<string, HourSum>();
  for (const sum of sums) {
    const key = hourKey(sum);
    const known = added.get(key);
    added.set(key, known === undefined ? sum : { ...sum, ...addCounts(known, sum) });
  }
  return [...added.values()];
}

/** What makes a row of the sums by hour unique. */
export function hourKey(sum: HourSum): string {
  const { hour, isOwn, billerCode, operatorCode, debitAccount, creditAccount } = sum;
  const parts = [hour.toISOString(), isOwn, billerCode, operatorCode, debitAccount, creditAccount];
  return parts.join(' ');
}

/** Commands of the role that owns the schema, and monitoring, are over in a moment; a dump is not. */
const HORIZON_READS = 10;
const HORIZON_PAUSE_MS = 25;

/**
 * The time before which no transfer can be added any more: the start of the oldest running database
 * transaction. If that remains unknown for a quarter of a second, the end of the hash chain or of the last
 * hour that was summed, which were before it.
 */
export async function readCompleteUntil(db: Queryable): Promise<Date> {
  for (let read = 0; read < HORIZON_READS; read += 1) {
    const horizon = await readHorizon(db);
    if (horizon !== undefined) return new Date(horizon);
    await delay(HORIZON_PAUSE_MS);
  }
  const [chained, summed] = [await readChainEnd(db), await readSummedUntil(db, 'hour')];
  return new Date(Math.max(Number(chained ?? 0), Number(summed ?? 0)));
}

type Counts = Pick<HourSum, 'count' | 'payments' | 'amountCents'>;

function addCounts(one: Counts, other: Counts): Counts {
  return {
    count: one.count + other.count,
    payments: one.payments + other.payments,
    amountCents: one.amountCents + other.amountCents,
  };
}

/** A span in two: what is summed, and what has to be read from the transfers. */
interface SplitSpan {
  readonly summed: Span | undefined;
  readonly rest: readonly Span[];
}

/** Pure. @param until up to when transfers are summed. */
export function splitSpan(span: Span, unit: Unit, until: Date | undefined): SplitSpan {
  const { from, to } = span;
  const start = from === null ? null : roundUp(from, unit);
  if (until === undefined) return { summed: undefined, rest: [span] };
  const end = to === null || until < to ? until : roundDown(to, unit);
  if (start !== null && start >= end) return { summed: undefined, rest: [span] };
  const rest = [
    ...(from !== null && start !== null && from < start ? [{ from, to: start }] : []),
    ...(to === null || end < to ? [{ from: end, to }] : []),
  ];
  return { summed: { from: start, to: end }, rest };
}

export async function splitBySums(db: Queryable, span: Span, unit: SumUnit): Promise<SplitSpan> {
  return splitSpan(span, unit, await readSummedUntil(db, unit));
}

/**
 * What was posted between each two accounts in a span of time: from the sums, and from the transfers that
 * are not summed yet. Sums never change, so the result is as of the last statement.
 */
export async function readPairs(db: Queryable, span: Span, filter: SumFilter): Promise<PairSum[]> {
  const unit = filter.vendorId === null ? 'hour' : 'day';
  const { summed, rest } = await splitBySums(db, span, unit);
  const found: PairSum[] = [];
  if (summed !== undefined) found.push(...(await readSummedPairs(db, summed, filter)));
  for (const part of rest) found.push(...(await readTransferPairs(db, part, filter)));
  return addPairs(found, ({ debitAccount, creditAccount }) => `${debitAccount} ${creditAccount}`);
}

/** The same of each vendor: by whole weeks, then by whole days. */
export async function readPairsByVendor(
  db: Queryable,
  span: Span,
  accounts: readonly string[] | null,
): Promise<VendorPairSum[]> {
  const { summed, rest } = await splitBySums(db, span, 'day');
  const found: VendorPairSum[] = [];
  const read = async (source: VendorPairsSource, part: Span): Promise<void> => {
    for (const pair of await readVendorPairs(db, part, { accounts, source })) found.push(pair);
  };
  if (summed !== undefined) {
    const { summed: weeks, rest: days } = splitSpan(summed, 'week', summed.to ?? undefined);
    if (weeks !== undefined) await read('weeks', weeks);
    for (const part of days) await read('days', part);
  }
  for (const part of rest) await read('transfers', part);
  return addPairs(found, (row) => `${row.vendorId} ${row.debitAccount} ${row.creditAccount}`);
}

/** In the order of their keys. */
function addPairs<Row extends PairSum>(rows: readonly Row[], keyOf: (row: Row) => string): Row[] {
  const added = new Map<string, Row>();
  for (const row of rows) {
    const known = added.get(keyOf(row));
    const { count = 0, payments = 0, amountCents = 0n } = known ?? {};
    added.set(keyOf(row), {
      ...row,
      count: count + row.count,
      payments: payments + row.payments,
      amountCents: amountCents + row.amountCents,
    });
  }
  return [...added].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
}
