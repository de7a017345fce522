import type { Pool } from '../../platform/db/pool.ts';
import { listFloats } from '../billers/float-store.ts';
import { findLastClosedDay } from './days-store.ts';
import type { ClosedDay } from './days-store.ts';
import { readDayGaps, reportOperators } from './days.ts';
import type { Day, DayGaps, OperatorsReport } from './days.ts';
import { reportFloat } from './float-report.ts';
import type { FloatReport } from './float-report.ts';
import { listImported } from './imported.ts';
import type { ImportedStatement } from './imported.ts';

/** Cents paid through an operator, by our ledger and by its statements. Null: they do not say. */
export interface ComparedOperator {
  readonly operator: string;
  readonly oursCents: bigint;
  readonly theirsCents: bigint | null;
}

/** Our float with an operator. Null: it has reported no balance. */
export interface ComparedFloat extends FloatReport {
  readonly operator: string;
  readonly balanceCents: bigint | null;
  readonly polledAt: Date | null;
}

/** A day of our ledger beside the operators’ statements: what is there, what is missing, and how the balances differ. */
export interface ComparedDay extends DayGaps {
  readonly closed: ClosedDay | null;
  readonly lastClosed: string | null;
  readonly compared: readonly ComparedOperator[];
  readonly statements: readonly ImportedStatement[];
  readonly floats: readonly ComparedFloat[];
}

export async function compareDay(pool: Pool, day: Day): Promise<ComparedDay> {
  const report = await reportOperators(pool, day);
  const gaps = await readDayGaps(pool, day);
  const listed = report.operators.map(({ operator }) => operator);
  return {
    ...gaps,
    closed: report.closed,
    lastClosed: (await findLastClosedDay(pool))?.day ?? null,
    compared: compareOperators(report),
    statements: await listImported(pool, day),
    floats: await compareFloats(pool, [...listed, ...gaps.missing]),
  };
}

/**
 * Net of reversals, which our ledger has as corrections; with cost and less netted commission if the operator's
 * statements list payments so.
 */
function compareOperators({ totals, operators, listingNet }: OperatorsReport): ComparedOperator[] {
  const ours = new Map<string, bigint>();
  for (const { operatorCode, paymentsCents, correctionsCents, ...terms } of totals) {
    if (operatorCode === '') continue;
    const before = ours.get(operatorCode) ?? 0n;
    const termsCents = listingNet.has(operatorCode)
      ? terms.costsCents - terms.commissionsCents
      : 0n;
    ours.set(operatorCode, before + paymentsCents + correctionsCents + termsCents);
  }
  const theirs = new Map(
    operators.map((row) => [row.operator, row.paymentsCents - row.reversalsCents]),
  );
  return [...new Set([...ours.keys(), ...theirs.keys()])].toSorted().map((operator) => ({
    operator,
    oursCents: ours.get(operator) ?? 0n,
    theirsCents: theirs.get(operator) ?? null,
  }));
}

async function compareFloats(pool: Pool, operators: readonly string[]): Promise<ComparedFloat[]> {
  const known = new Map((await listFloats(pool)).map((row) => [row.operatorCode, row]));
  const floats: ComparedFloat[] = [];
  for (const operator of [...new Set(operators)].toSorted()) {
    const { balanceCents = null, polledAt = null } = known.get(operator) ?? {};
    const float = { balanceCents, polledAt };
    const report = await reportFloat(pool, { operatorCode: operator, ...float });
    floats.push({ operator, ...float, ...report });
  }
  return floats;
}
