import { crashPoint } from '#crash-points';
import { LIMITS } from '../../platform/base/limits.ts';
import { createLane } from '../../platform/db/lane.ts';
import type { LaneSettings } from '../../platform/db/lane.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { settlePayments } from './store.ts';
import type { FinalReport, SettleResult } from '../create/payment.ts';

/**
 * Where final reports from answers, status queries and callbacks arrive. Statements and people settle
 * within their own commits, with `settlePayments`. Idempotent. A report that contradicts the ledger opens
 * a case and changes nothing.
 */
export interface Settler {
  settle(report: FinalReport): Promise<SettleResult>;
  readonly waiting: number;
  idle(): Promise<void>;
}

interface SettlerOptions extends LaneSettings {
  /** Called for each payment that a report settles. Default: nothing is called. */
  readonly onSettled?: (report: FinalReport) => void;
}

export function createSettler(options: SettlerOptions): Settler {
  const { bucketOf, atOnce, ...given } = options;
  const lane = createLane<FinalReport, SettleResult>({
    ...given,
    name: 'settle lane',
    atOnce: atOnce && { ...atOnce, vendorOf },
    partOf: bucketOf && ((report) => bucketOf(report.vendorId)),
    maxBatch: LIMITS.laneBatchRows,
    maxWaiting: LIMITS.laneQueueRows,
    call: async (db, reports) => await settleInRounds(db, reports),
  });
  return {
    settle: async (report) => {
      const result = await lane.add(report);
      if (result === 'settled') given.onSettled?.(report);
      return result;
    },
    get waiting() {
      return lane.waiting;
    },
    idle: async () => await lane.idle(),
  };
}

function vendorOf({ vendorId }: FinalReport): number {
  return vendorId;
}

/**
 * One call settles one report per payment; further reports about the same payment follow in the
 * next.
 */
async function settleInRounds(
  db: Queryable,
  reports: readonly FinalReport[],
): Promise<SettleResult[]> {
  const results: SettleResult[] = [];
  let round = [...reports.entries()];
  while (round.length > 0) {
    const now = new Map<string, (typeof round)[number]>();
    const later: typeof round = [];
    for (const entry of round) {
      const { vendorId, paymentId } = entry[1];
      const key = `${vendorId} ${paymentId}`;
      if (now.has(key)) later.push(entry);
      else now.set(key, entry);
    }
    const entries = [...now.values()];
    crashPoint('settle:before-commit');
    const settled = await settlePayments(
      db,
      entries.map(([, report]) => report),
    );
    crashPoint('settle:after-commit');
    for (const [position, [index]] of entries.entries()) {
      const result = settled[position];
      if (result !== undefined) results[index] = result;
    }
    round = later;
  }
  return results;
}
