import { readVids } from '../../parties/read-vendors.ts';
import { dayAfter, midnightWithOffset } from '../../platform/base/days.ts';
import { requirePerson } from '../../platform/base/person.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { readHorizon } from '../../platform/cluster/horizon.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import { snapshot, repeatableTransaction } from '../../platform/db/pool.ts';
import {
  beginClose,
  computeOperatorTotals,
  computeTotals,
  findClosedDay,
  findLastClosedDay,
  insertClosedDay,
  listMatched,
  listOperatorsPaid,
  readOperatorDays,
  readTotals,
} from './days-store.ts';
import type { ClosedDay, DayTotal, OperatorDay, OperatorTotal } from './days-store.ts';
import { takeYourTime } from '../ledger/sums-store.ts';
import { countOpenCasesBefore } from '../cases/read-cases.ts';
import { termsOf } from '../prices/price.ts';
import { listOperatorPrices } from '../prices/store.ts';
import { readCoverage } from './covered-store.ts';
import type { Period } from './store.ts';

/** A day of the service's time zone. */
export interface Day {
  /** YYYY-MM-DD */
  readonly day: string;
  readonly from: Date;
  /** The start of the next day. */
  readonly to: Date;
}

export interface CloseRequest extends Day {
  readonly by: string;
  /** Operators whose statement will not come. */
  readonly withoutStatement: readonly string[];
  readonly despiteOpenCases: boolean;
  /** Why the day is closed although something is missing. */
  readonly note: string | null;
}

export interface DayReport {
  readonly day: Day;
  /** Null: not closed, these are the totals so far. */
  readonly closed: ClosedDay | null;
  readonly totals: readonly DayTotal[];
  /** Of the vendors in `totals`. */
  readonly vids: ReadonlyMap<number, string>;
  /** Totals from the operators' statements. */
  readonly operators: readonly OperatorDay[];
  readonly openCases: number;
}

/**
 * Freezes the totals of a day that is over; a later correction counts on the day when it is posted.
 * Days are closed in order, without a gap.
 * Throws: `PlainError` with everything that prevents it.
 */
export async function closeDay(pool: Pool, request: CloseRequest): Promise<DayReport> {
  const by = requirePerson(request.by);
  const { day, from, to } = request;
  return await repeatableTransaction(pool, async (client) => {
    await beginClose(client);
    if ((await findClosedDay(client, day)) !== undefined) {
      throw new PlainError(`${day} is already closed.`);
    }
    const before = await findLastClosedDay(client);
    if (before !== undefined) requireNextDay(before, request);
    const horizon = await readHorizon(client);
    if (horizon === undefined || new Date(horizon) < to) {
      throw new PlainError(
        `${day} is not over, or a database transaction that began before its end is still running. Try again later.`,
      );
    }
    const exceptions = await findExceptions(client, request);
    const totals = await computeTotals(client, { from, to }, before?.day ?? null);
    const closed = { day, startedAt: from, endedAt: to, closedBy: by, exceptions };
    await insertClosedDay(client, closed, totals);
    return await report(client, request);
  });
}

/**
 * Throws: `PlainError` if the day is not the one after the last closed day, or begins at another time than
 * that one ended, because the days of the service are those of another time zone now.
 */
function requireNextDay(last: ClosedDay, { day, from }: Day): void {
  const next = dayAfter(last.day);
  if (day !== next) {
    throw new PlainError(
      `The last closed day is ${last.day}. Days are closed one after the other, without a gap: the next one is ${next}.`,
    );
  }
  if (Number(last.endedAt) === Number(from)) return;
  const [ended, begins] = [midnightWithOffset(next, last.endedAt), midnightWithOffset(day, from)];
  throw new PlainError(
    `The last closed day, ${last.day}, ended at ${ended}, but ${day} begins at ${begins} in TIME_ZONE. Days are closed without a gap, so TIME_ZONE must be the time zone that ${last.day} was closed with.`,
  );
}

/** The reasons why a day stays open. */
export interface DayGaps {
  /** Operators that were paid through, and whose complete statements do not cover the day. */
  readonly missing: readonly string[];
  /** Cases about something before its end. */
  readonly openCases: number;
}

export async function readDayGaps(
  db: Queryable,
  { from, to }: Pick<Day, 'from' | 'to'>,
): Promise<DayGaps> {
  const missing: string[] = [];
  for (const operator of await listOperatorsPaid(db, { from, to })) {
    if (!(await readCoverage(db, operator, 'all'))(from, to)) missing.push(operator);
  }
  return { missing, openCases: await countOpenCasesBefore(db, to) };
}

/**
 * Lists the gaps that people have accepted. Throws: `PlainError` with what is missing and was not
 * accepted.
 */
async function findExceptions(
  db: Queryable,
  request: CloseRequest,
): Promise<Record<string, unknown>> {
  const { missing, openCases } = await readDayGaps(db, request);
  const refused = missing.filter((operator) => !request.withoutStatement.includes(operator));
  const problems = [
    ...(refused.length === 0
      ? []
      : [`no complete statement covers the day of ${refused.join(', ')}`]),
    ...(openCases === 0 || request.despiteOpenCases ? [] : [`open cases: ${openCases}`]),
    ...((missing.length > 0 || openCases > 0) && request.note === null
      ? ['a note has to say why something is missing']
      : []),
  ];
  if (problems.length > 0) {
    const gaps = problems.join('; ');
    throw new PlainError(
      `${request.day} cannot be closed: ${gaps}. Complete it first, or accept each of these explicitly.`,
    );
  }
  return {
    ...(missing.length === 0 ? {} : { without_statement: missing }),
    ...(openCases === 0 ? {} : { open_cases: openCases }),
    ...(request.note === null ? {} : { note: request.note }),
  };
}

/** A day as its operators see it. */
export interface OperatorsReport extends Pick<DayReport, 'closed' | 'operators' | 'openCases'> {
  readonly totals: readonly OperatorTotal[];
  /** Operators whose statements list payments with their cost, less the commission that is netted. */
  readonly listingNet: ReadonlySet<string>;
}

/** Reports like `reportDay`, but without vendors and balances, which take long. Reads one snapshot. */
export async function reportOperators(
  pool: Pool,
  { day, ...period }: Day,
): Promise<OperatorsReport> {
  return await snapshot(pool, async (client) => {
    const closed = (await findClosedDay(client, day)) ?? null;
    const totals =
      closed === null ? await computeOperatorTotals(client, period) : await readTotals(client, day);
    const withTerms = totals.filter((row) => row.costsCents !== row.commissionsCents);
    const listingNet = new Set<string>();
    for (const operator of new Set(withTerms.map(({ operatorCode }) => operatorCode))) {
      if (await listsNet(client, operator, period)) listingNet.add(operator);
    }
    return {
      closed,
      totals,
      listingNet,
      operators: await readOperatorDays(client, period),
      openCases: await countOpenCasesBefore(client, period.to),
    };
  });
}

/** By the first payment of the period whose two amounts differ; an operator lists all in the same way. */
async function listsNet(db: Queryable, operator: string, period: Period): Promise<boolean> {
  const prices = await listOperatorPrices(db, 'all');
  for (const { listedCents, amountCents, operatorPrice } of await listMatched(
    db,
    operator,
    period,
  )) {
    const terms = prices.find(({ version }) => version === operatorPrice);
    if (terms === undefined || terms.operatorCode !== operator) continue;
    const { costCents, commissionCents } = termsOf(terms, amountCents);
    const netCents = amountCents + costCents - (terms.commissionNetted ? commissionCents : 0n);
    if (netCents === amountCents) continue;
    if (listedCents === netCents || listedCents === amountCents) return listedCents === netCents;
  }
  return false;
}

/** The totals of a day: frozen if it is closed, so far if it is not. Reads one snapshot. */
export async function reportDay(pool: Pool, day: Day): Promise<DayReport> {
  return await snapshot(pool, async (client) => {
    await takeYourTime(client);
    return await report(client, day);
  });
}

async function report(db: Queryable, { day, from, to }: Day): Promise<DayReport> {
  const closed = (await findClosedDay(db, day)) ?? null;
  const last = await findLastClosedDay(db);
  const follows = last !== undefined && Number(last.endedAt) === Number(from);
  return {
    day: { day, from, to },
    closed,
    totals:
      closed === null
        ? await computeTotals(db, { from, to }, follows ? last.day : null)
        : await readTotals(db, day),
    vids: await readVids(db),
    operators: await readOperatorDays(db, { from, to }),
    openCases: await countOpenCasesBefore(db, to),
  };
}
