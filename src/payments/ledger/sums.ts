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
  findVendorHour,
  insertDays,
  insertHours,
  insertVendorHours,
  insertWeeks,
  lockSummedUntil,
  readSummedPairs,
  readSummedUntil,
  readTransferPairs,
  readVendorPairs,
  setSummedUntil,
  takeYourTime,
} from './sums-store.ts';
import type { HourSum, PairSum, Span, SumFilter, SumUnit, VendorPairSum } from './sums-store.ts';

const UNIT_MS: Readonly<Record<SumUnit, number>> = {
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
};
/** A Monday, where an hour and a day begin as well. */
const ORIGIN_MS = Date.UTC(1970, 0, 5);

/** Commands of the role that owns the schema, and monitoring, are over in a moment; a dump is not. */
const HORIZON_READS = 10;
const HORIZON_PAUSE_MS = 25;

/** Summed in one database transaction. */
const SPAN_MS = UNIT_MS.day;

function rounded(time: Date, unit: SumUnit, round: (units: number) => number): Date {
  const units = (time.getTime() - ORIGIN_MS) / UNIT_MS[unit];
  return new Date(round(units) * UNIT_MS[unit] + ORIGIN_MS);
}
const roundDown = (time: Date, unit: SumUnit): Date => rounded(time, unit, Math.floor);
const roundUp = (time: Date, unit: SumUnit): Date => rounded(time, unit, Math.ceil);

/**
 * Sums the next whole hours to which nothing can be added any more, and the days and weeks that end with
 * them. Returns whether there were any, or undefined while that is not known.
 */
export async function extendSums(pool: Pool): Promise<boolean | undefined> {
  return await databaseTransaction(pool, async (client) => {
    await takeYourTime(client);
    const until = await lockSummedUntil(client);
    const horizon = await readHorizon(client);
    if (horizon === undefined) return undefined;
    // Separate statements, whose snapshots are newer than the horizon.
    const end = roundDown(new Date(horizon), 'hour');
    const first = await findFirstTransfer(client, { from: until ?? null, to: end });
    if (first === undefined) return false;
    const from = roundDown(first, 'hour');
    const to = new Date(Math.min(from.getTime() + SPAN_MS, end.getTime()));
    await insertHours(client, addHours(await computeHours(client, { from, to })));
    await insertVendorHours(client, { from, to });
    // Hours without transfers are passed over, so more than the last day or week may have ended.
    const since = until ?? from;
    const days = { from: roundDown(since, 'day'), to: roundDown(to, 'day') };
    if (days.from < days.to) await insertDays(client, days);
    const weeks = { from: roundDown(since, 'week'), to: roundDown(to, 'week') };
    if (weeks.from < weeks.to) await insertWeeks(client, weeks);
    await setSummedUntil(client, to);
    return true;
  });
}

/** Extends the sums over all hours that have ended, or gives up while it is not known which have. */
export async function completeSums(pool: Pool, signal?: AbortSignal): Promise<void> {
  const isStopped = (): boolean => signal?.aborted === true;
  for (let read = 0; read < HORIZON_READS && !isStopped(); read += 1) {
    const extended = await extendSums(pool);
    if (extended === false) return;
    if (extended === true) read = -1;
    else await delay(HORIZON_PAUSE_MS);
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

/** Joins the columns that make a row of the sums by hour unique. */
export function hourKey(sum: HourSum): string {
  const { hour, isOwn, billerCode, operatorCode, debitAccount, creditAccount } = sum;
  const parts = [hour.toISOString(), isOwn, billerCode, operatorCode, debitAccount, creditAccount];
  return parts.join(' ');
}

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
  const [chained, summed] = [await readChainEnd(db), await readSummedUntil(db)];
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

/** A part of a span, and where its pairs are read. */
export interface SpanPart extends Span {
  /** Units: it is whole ones, and summed. */
  readonly source: SumUnit | 'transfers';
}

/** Units of the sums of each vendor, longest first. */
const VENDOR_UNITS: readonly SumUnit[] = ['week', 'day', 'hour'];
/** A vendor has few days, and a shorter list of parts takes fewer queries. */
const ONE_VENDORS_UNITS: readonly SumUnit[] = ['day', 'hour'];
/** Units in which the sums of all vendors together exist. */
const COMMON_UNITS: readonly SumUnit[] = ['hour'];

/**
 * Splits a span into the longest whole units that are summed, and what is read from the transfers. Pure.
 * @param until up to when transfers are summed.
 */
export function splitSpan(
  span: Span,
  [unit, ...shorter]: readonly SumUnit[],
  until: Date | undefined,
): SpanPart[] {
  if (unit === undefined || until === undefined) return [{ ...span, source: 'transfers' }];
  const { from, to } = span;
  const start = from === null ? null : roundUp(from, unit);
  const end = roundDown(to === null || until < to ? until : to, unit);
  if (start !== null && start >= end) return splitSpan(span, shorter, until);
  return [
    ...(from !== null && start !== null && from < start
      ? splitSpan({ from, to: start }, shorter, until)
      : []),
    { from: start, to: end, source: unit },
    ...(to === null || end < to ? splitSpan({ from: end, to }, shorter, until) : []),
  ];
}

/** The parts of a span that are read from the sums of all vendors, and from transfers. */
export async function splitByHours(db: Queryable, span: Span): Promise<SpanPart[]> {
  return splitSpan(span, COMMON_UNITS, await readSummedUntil(db));
}

/**
 * Sums transfers between each two accounts in a span of time: from the sums, and from the transfers
 * that are not summed yet. Sums never change, so the result is as of the last statement.
 */
export async function readPairs(db: Queryable, span: Span, filter: SumFilter): Promise<PairSum[]> {
  const units = filter.vendorId === null ? COMMON_UNITS : ONE_VENDORS_UNITS;
  const found: PairSum[] = [];
  for (const { source, ...part } of splitSpan(span, units, await readSummedUntil(db))) {
    const pairs =
      source === 'transfers'
        ? await readTransferPairs(db, part, filter)
        : await readSummedPairs(db, source, part, filter);
    found.push(...pairs);
  }
  return addPairs(found, ({ debitAccount, creditAccount }) => `${debitAccount} ${creditAccount}`);
}

/** Sums pairs of accounts as `readPairs` does, for each vendor. */
export async function readPairsByVendor(
  db: Queryable,
  span: Span,
  accounts: readonly string[] | null,
): Promise<VendorPairSum[]> {
  const found: VendorPairSum[] = [];
  for (const { source, ...part } of splitSpan(span, VENDOR_UNITS, await readSummedUntil(db))) {
    for (const pair of await readVendorPairs(db, source, part, accounts)) found.push(pair);
  }
  return addPairs(found, (row) => `${row.vendorId} ${row.debitAccount} ${row.creditAccount}`);
}

/** The first time from then on at which a vendor may have transfers. */
export async function findVendorTransfers(
  db: Queryable,
  vendorId: number,
  from: Date,
): Promise<Date> {
  const until = await readSummedUntil(db);
  if (until === undefined || until <= from) return from;
  const hour = await findVendorHour(db, vendorId, roundDown(from, 'hour'));
  return new Date(Math.max(Number(from), Number(hour ?? until)));
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
