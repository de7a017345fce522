import { periodOfDay, periodOfMonth } from '../../platform/base/clock.ts';
import type { WireTime } from '../../platform/base/clock.ts';
import type { Mac } from '../../platform/base/mac.ts';
import { readHorizon } from '../../platform/cluster/horizon.ts';
import { databaseTransaction } from '../../platform/db/pool.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import { postingTime } from '../../platform/db/posting-time.ts';
import { findFirstPosted, listPosted } from '../house/store.ts';
import type { BookPeriod } from '../house/store.ts';
import { findFirstTransfer, takeYourTime } from '../ledger/sums-store.ts';
import { readPosted } from './posted-store.ts';
import { findLastSummary, findTerms, insertSummary, lockSummaries } from './store.ts';
import type { SummaryTerms } from './store.ts';
import { summarize } from './summary.ts';
import type { Posted } from './summary.ts';

export interface SummaryDeps {
  readonly pool: Pool;
  readonly ledgerMac: Mac;
  readonly wireTime: WireTime;
}

/**
 * Makes the next summary journal, in one commit. It begins where the one before ended, and ends with the first day or
 * month after that in which something was posted. Returns its number, or undefined if that has not ended.
 * @param endOf for tests, whose months are short.
 */
export async function makeNext(deps: SummaryDeps, endOf = unitEnd): Promise<number | undefined> {
  return await databaseTransaction(deps.pool, async (client) => {
    await takeYourTime(client);
    await lockSummaries(client);
    const terms = await findTerms(client);
    if (terms === undefined) return undefined;
    const last = await findLastSummary(client);
    const from = last?.toAt ?? terms.startsAt;
    const horizon = await readHorizon(client);
    const first = await findFirst(client, from);
    if (horizon === undefined || first === undefined) return undefined;
    const to = endOf(first, { ...deps, ...terms });
    if (to > new Date(Date.parse(horizon))) return undefined;
    const posted = await readAllPosted(client, { from, to }, { ...deps, ...terms });
    const number = (last?.number ?? 0) + 1;
    const journal = { number, fromAt: from, toAt: to, madeAt: await postingTime(client) };
    const lines = summarize(posted, terms.dimensions);
    await insertSummary(client, deps.ledgerMac, journal, lines);
    return number;
  });
}

/** Makes all summary journals that are due. */
export async function makeSummaries(deps: SummaryDeps, stopping?: AbortSignal): Promise<void> {
  const isStopped = (): boolean => stopping?.aborted === true;
  while (!isStopped() && (await makeNext(deps)) !== undefined);
}

/** The time of the first posting from then on, of vendors or of the house. */
async function findFirst(db: Queryable, from: Date): Promise<Date | undefined> {
  const found = [
    await findFirstTransfer(db, { from, to: null }),
    await findFirstPosted(db, from),
  ].filter((time) => time !== undefined);
  return found.toSorted((one, other) => Number(one) - Number(other))[0];
}

type Units = Pick<SummaryTerms, 'per'> & { readonly wireTime: WireTime };

/** The end of the day or month that the time is in. */
export function unitEnd(time: Date, { per, wireTime }: Units): Date {
  const day = wireTime.format(time).slice(0, 10);
  const unit =
    per === 'day' ? periodOfDay(day, wireTime) : periodOfMonth(day.slice(0, 7), wireTime);
  if (unit === undefined) throw new Error(`no day ${day}`);
  return unit.to;
}

/** Vendors' money moves when it is posted; that of the house may have moved before. */
async function readAllPosted(
  db: Queryable,
  period: BookPeriod,
  terms: SummaryTerms & Units,
): Promise<Posted[]> {
  const { wireTime, dimensions } = terms;
  const dayOf = (time: Date): string => wireTime.format(time).slice(0, 10);
  const lastDay = (end: Date): string => dayOf(new Date(Number(end) - 1));
  const ofHouse = { books: 'house', vendorId: null, billerCode: null, operatorCode: null } as const;
  return [
    ...(await readPosted(db, period, dimensions)).map((row) => ({
      ...{ ...row, books: 'vendors' as const, day: lastDay(period.to) },
    })),
    ...(await listPosted(db, period)).map(({ movedAt, ...row }) => ({
      ...{ ...row, ...ofHouse },
      day: terms.per === 'day' ? dayOf(movedAt) : lastDay(unitEnd(movedAt, terms)),
    })),
  ];
}
