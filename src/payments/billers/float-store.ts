import { repeatableTransaction } from '../../platform/db/pool.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import { markChanged } from '../../platform/db/settings-watch.ts';
import { stateAfter } from './float.ts';
import type { FloatLimits, FloatState } from './float.ts';
import { FORECAST_DAYS } from './forecast.ts';
import type { SpentHour } from './forecast.ts';

export interface FloatRow extends FloatLimits {
  readonly operatorCode: string;
  /** Null until the operator has answered. */
  readonly balanceCents: bigint | null;
  readonly polledAt: Date | null;
  readonly state: FloatState;
}

const FLOATS = `select operator_code as "operatorCode", balance_cents as "balanceCents",
    polled_at as "polledAt", low_cents as "lowCents", stop_cents as "stopCents",
    resume_cents as "resumeCents", state
  from operator_floats`;

export async function listFloats(db: Queryable): Promise<FloatRow[]> {
  return (await db.query<FloatRow>(`${FLOATS} order by operator_code`)).rows;
}

/** Takes the operators whose float is due to be asked for. Each is given to one caller only. */
export async function takeDue(
  db: Queryable,
  operatorCodes: readonly string[],
  everyMs: number,
): Promise<string[]> {
  for (const operatorCode of operatorCodes) await insertMissing(db, operatorCode);
  const taken = await db.query<{ operatorCode: string }>(
    `with due as materialized (
       select operator_code from operator_floats
       where operator_code = any ($1)
         and coalesce(asked_at, '-infinity') <= now() - $2 * interval '1 millisecond'
       order by operator_code for update
     )
     update operator_floats f set asked_at = now() from due
     where f.operator_code = due.operator_code
     returning f.operator_code as "operatorCode"`,
    [operatorCodes, everyMs],
  );
  return taken.rows.map((row) => row.operatorCode);
}

/** A balance that an operator reported. */
export interface ReportedBalance {
  readonly balanceCents: bigint;
  /** Milliseconds since the operator was asked; absent: it reported by itself just now. */
  readonly ageMs?: number;
}

/**
 * Saves a reported balance, its change and the resulting state, unless another balance was saved since
 * the operator was asked, because that one may be newer. Running processes reload if the state changed.
 * Returns the state
 * before and after.
 */
export async function saveBalance(
  pool: Pool,
  operatorCode: string,
  { balanceCents, ageMs = 0 }: ReportedBalance,
): Promise<{
  readonly before: FloatState;
  readonly after: FloatState;
  readonly stopCents: bigint | null;
}> {
  return await repeatableTransaction(pool, async (client) => {
    await insertMissing(client, operatorCode);
    const row = await lockFloatOf(client, operatorCode);
    const { state, stopCents } = row;
    if (await isSavedSince(client, row, ageMs)) return { before: state, after: state, stopCents };
    const after = stateAfter(state, balanceCents, row);
    await client.query(
      `update operator_floats set balance_cents = $2, polled_at = now(), state = $3
       where operator_code = $1`,
      [operatorCode, balanceCents, after],
    );
    const change = balanceCents - (row.balanceCents ?? balanceCents);
    await addToHour(client, operatorCode, change);
    if (after !== state) await markChanged(client, 'billers');
    return { before: state, after, stopCents };
  });
}

async function isSavedSince(
  db: Queryable,
  { polledAt }: FloatRow,
  agoMs: number,
): Promise<boolean> {
  const read = await db.query<{ isLater: boolean | null }>(
    `select $1::timestamptz > now() - $2 * interval '1 millisecond' as "isLater"`,
    [polledAt, agoMs],
  );
  return read.rows[0]?.isLater === true;
}

/** Changes the limits; the state follows from the last balance. */
export async function saveLimits(
  db: Queryable,
  operatorCode: string,
  decide: (row: FloatRow) => FloatLimits,
): Promise<void> {
  await insertMissing(db, operatorCode);
  const row = await lockFloatOf(db, operatorCode);
  const limits = decide(row);
  const state =
    row.balanceCents === null ? 'enough' : stateAfter('enough', row.balanceCents, limits);
  await db.query(
    `update operator_floats set low_cents = $2, stop_cents = $3, resume_cents = $4, state = $5
     where operator_code = $1`,
    [operatorCode, limits.lowCents, limits.stopCents, limits.resumeCents, state],
  );
}

async function insertMissing(db: Queryable, operatorCode: string): Promise<void> {
  await db.query('insert into operator_floats (operator_code) values ($1) on conflict do nothing', [
    operatorCode,
  ]);
}

async function lockFloatOf(db: Queryable, operatorCode: string): Promise<FloatRow> {
  const read = await db.query<FloatRow>(`${FLOATS} where operator_code = $1 for update`, [
    operatorCode,
  ]);
  const row = read.rows[0];
  if (row === undefined) throw new Error(`operator ${operatorCode} has no float`);
  return row;
}

async function addToHour(db: Queryable, operatorCode: string, change: bigint): Promise<void> {
  await db.query(
    `insert into operator_float_hours (operator_code, hour, spent_cents, added_cents)
     values ($1, date_trunc('hour', now()), greatest(-$2::bigint, 0), greatest($2::bigint, 0))
     on conflict (operator_code, hour) do update set
       spent_cents = operator_float_hours.spent_cents + excluded.spent_cents,
       added_cents = operator_float_hours.added_cents + excluded.added_cents`,
    [operatorCode, change],
  );
  await db.query(
    `delete from operator_float_hours
     where operator_code = $1 and hour < now() - $2 * interval '1 day'`,
    [operatorCode, FORECAST_DAYS],
  );
}

/** Reads the amount spent in each recorded hour, by operator. */
export async function readSpentHours(db: Queryable): Promise<ReadonlyMap<string, SpentHour[]>> {
  const read = await db.query<SpentHour & { operatorCode: string }>(
    `select operator_code as "operatorCode", hour, spent_cents as "spentCents"
     from operator_float_hours order by operator_code, hour`,
  );
  const hours = new Map<string, SpentHour[]>();
  for (const { operatorCode, ...hour } of read.rows) {
    hours.set(operatorCode, [...(hours.get(operatorCode) ?? []), hour]);
  }
  return hours;
}
