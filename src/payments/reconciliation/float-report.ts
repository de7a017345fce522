import { PlainError } from '../../platform/base/plain-error.ts';
import { listFloats } from '../billers/float-store.ts';
import type { FloatRow } from '../billers/float-store.ts';
import { findOperator } from '../billers/store.ts';
import { listBookedFloats } from '../house/store.ts';
import { snapshot } from '../../platform/db/pool.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import { explainFloat } from './bridge.ts';
import type { FloatBridge } from './bridge.ts';
import { bookedCents, findLastStatement, readBookedFloat, readFloatFacts } from './bridge-store.ts';
import type { BookedFloat, LastStatement } from './bridge-store.ts';

/** Our books of a float, against what the operator reported and what its last statement says. */
export interface FloatReport {
  readonly booked: BookedFloat;
  readonly bookedCents: bigint;
  /** Null: the operator has reported no balance. */
  readonly bridge: FloatBridge | null;
  /** Null: there is no statement with a balance. */
  readonly statement: (LastStatement & { readonly bookedCents: bigint }) | null;
}

/** The float with an operator as it reports it and as we book it. */
export interface OperatorFloat extends FloatReport {
  readonly operator: string;
  /** Null: the operator has reported no balance. */
  readonly reportedCents: bigint | null;
  readonly reportedAt: Date | null;
}

/**
 * The float with one operator, or with each operator whose float is booked.
 * Throws: `PlainError` if there is no such operator.
 */
export async function reportFloats(pool: Pool, only: string | null): Promise<OperatorFloat[]> {
  if (only !== null && (await findOperator(pool, only)) === undefined) {
    throw new PlainError(`Operator ${only} does not exist.`, { field: 'operator' });
  }
  const reported = new Map((await listFloats(pool)).map((row) => [row.operatorCode, row]));
  const floats: OperatorFloat[] = [];
  for (const operator of only === null ? await listBookedFloats(pool) : [only]) {
    const { balanceCents = null, polledAt = null } = reported.get(operator) ?? {};
    const found = await reportFloat(pool, { operatorCode: operator, balanceCents, polledAt });
    floats.push({ operator, reportedCents: balanceCents, reportedAt: polledAt, ...found });
  }
  return floats;
}

/** Reads one snapshot. */
export async function reportFloat(
  pool: Pool,
  float: Pick<FloatRow, 'operatorCode' | 'balanceCents' | 'polledAt'>,
): Promise<FloatReport> {
  const { operatorCode } = float;
  return await snapshot(pool, async (client) => {
    const booked = await readBookedFloat(client, operatorCode, null);
    const statement = await findLastStatement(client, operatorCode);
    return {
      booked,
      bookedCents: bookedCents(booked),
      bridge: await bridgeOf(client, float, bookedCents(booked)),
      statement: statement === undefined ? null : await withBooked(client, operatorCode, statement),
    };
  });
}

/** The difference alone, which is cheaper; null: the operator has reported no balance. */
export async function bridgeFloat(
  pool: Pool,
  float: Pick<FloatRow, 'operatorCode' | 'balanceCents' | 'polledAt'>,
): Promise<FloatBridge | null> {
  return await snapshot(pool, async (client) => {
    const booked = await readBookedFloat(client, float.operatorCode, null);
    return await bridgeOf(client, float, bookedCents(booked));
  });
}

async function bridgeOf(
  db: Queryable,
  {
    operatorCode,
    balanceCents,
    polledAt,
  }: Pick<FloatRow, 'operatorCode' | 'balanceCents' | 'polledAt'>,
  ours: bigint,
): Promise<FloatBridge | null> {
  if (balanceCents === null || polledAt === null) return null;
  const facts = await readFloatFacts(db, operatorCode, polledAt);
  return explainFloat({ ...facts, bookedCents: ours, reportedCents: balanceCents });
}

async function withBooked(db: Queryable, operatorCode: string, statement: LastStatement) {
  const then = await readBookedFloat(db, operatorCode, statement.periodEnd);
  return { ...statement, bookedCents: bookedCents(then) };
}
