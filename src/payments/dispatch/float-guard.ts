import type { Pool } from '../../platform/db/pool.ts';
import { readLeft } from './float-guard-store.ts';
import type { Claim } from './store.ts';

/**
 * Stops sending through an operator before its float is empty, between two reports of its balance: what
 * was settled and sent since the last report, and what this process has claimed, counts as gone. Only
 * for operators with a stop limit. Like a daily limit, it is exceeded by at most one claim of each
 * process and by what others sent since the refresh.
 */
export interface FloatGuard {
  isDrained(operatorCode: string): boolean;
  note(claim: Pick<Claim, 'operatorCode' | 'amountCents'>): void;
  /** Reads what is left again, if that is due. */
  refresh(): Promise<void>;
}

const REFRESH_MS = 5_000;

export function createFloatGuard(options: {
  readonly pool: Pool;
  readonly nowMs: () => number;
}): FloatGuard {
  const { pool, nowMs } = options;
  let left: ReadonlyMap<string, bigint> = new Map();
  let claimed = new Map<string, bigint>();
  let nextMs = 0;
  const add = (operatorCode: string, cents: bigint): void => {
    claimed.set(operatorCode, (claimed.get(operatorCode) ?? 0n) + cents);
  };
  return {
    isDrained: (operatorCode) => {
      const cents = left.get(operatorCode);
      return cents !== undefined && cents - (claimed.get(operatorCode) ?? 0n) <= 0n;
    },
    note: ({ operatorCode, amountCents }) => {
      if (operatorCode !== null && left.has(operatorCode)) add(operatorCode, amountCents);
    },
    refresh: async () => {
      if (nowMs() < nextMs) return;
      nextMs = nowMs() + REFRESH_MS;
      const before = claimed;
      // What is claimed while this reads may be counted twice, until the next refresh.
      claimed = new Map();
      try {
        left = await readLeft(pool);
      } catch (error) {
        for (const [operatorCode, cents] of before) add(operatorCode, cents);
        throw error;
      }
    },
  };
}
