import type { Queryable } from '../../platform/db/pool.ts';
import { listRoutes } from '../billers/routes-store.ts';
import { listBillers } from '../billers/store.ts';
import { readQueueTotals } from '../dispatch/queue-totals-store.ts';
import { readCoverage } from '../reconciliation/covered-store.ts';
import type { QuarantineRow } from './read-quarantine.ts';

/** An operator that may have executed payments that the ledger lacks. */
export interface Stake {
  readonly operatorCode: string;
  /** The open payments that it may have: queued, or waiting for an answer. */
  readonly open: number;
  /** Complete, matched statements that can prove what was not paid cover the missing period. */
  readonly covered: boolean;
}

/**
 * The operators that a release waits for: every one that a biller is paid through. Operators
 * without an open payment are included, because payments through them in the missing period are
 * exactly those that the ledger does not have.
 */
export async function readStakes(
  db: Queryable,
  quarantine: Pick<QuarantineRow, 'lostFrom' | 'lostUntil'>,
): Promise<Stake[]> {
  const billers = await listBillers(db);
  const routes = await listRoutes(db);
  const operatorsOf = (billerCode: string): string[] =>
    (routes.get(billerCode) ?? []).map(({ operatorCode }) => operatorCode);
  const open = new Map(
    billers.flatMap((row) => operatorsOf(row.billerCode)).map((code) => [code, 0]),
  );
  for (const { billerCode, count } of await readQueueTotals(db)) {
    for (const code of operatorsOf(billerCode)) open.set(code, (open.get(code) ?? 0) + count);
  }
  const stakes: Stake[] = [];
  for (const operatorCode of [...open.keys()].toSorted()) {
    const covers = await readCoverage(db, operatorCode, 'proofs');
    const covered = covers(quarantine.lostFrom, endOf(quarantine));
    stakes.push({ operatorCode, open: open.get(operatorCode) ?? 0, covered });
  }
  return stakes;
}

// No statement could cover an empty period.
function endOf({
  lostFrom: from,
  lostUntil: until,
}: Pick<QuarantineRow, 'lostFrom' | 'lostUntil'>): Date {
  return new Date(Math.max(until.getTime(), from.getTime() + 1));
}

/** The operators whose complete statements do not cover the missing period. */
export async function listMissing(
  db: Queryable,
  quarantine: Pick<QuarantineRow, 'lostFrom' | 'lostUntil'>,
): Promise<string[]> {
  const stakes = await readStakes(db, quarantine);
  return stakes.filter(({ covered }) => !covered).map(({ operatorCode }) => operatorCode);
}
