import type { Pool } from '../../platform/db/pool.ts';
import type { Route } from '../billers/biller.ts';
import type { BillerCatalogue } from '../billers/catalogue.ts';
import { readSpending } from './spending-store.ts';
import type { Claim } from './store.ts';

/**
 * The amount sent through each route with a daily limit: what the ledger shows at the last refresh, and
 * what this process has claimed since. A limit is checked before each claim, so it is exceeded by at
 * most one claim of each process and what others sent since the refresh.
 */
export interface DailySpending {
  isSpent(billerCode: string, route: Route): boolean;
  note(claim: Pick<Claim, 'billerCode' | 'operatorCode' | 'amountCents'>): void;
  /** Reads the ledger again if that is due and a route has a limit. */
  refresh(): Promise<void>;
}

const REFRESH_MS = 5_000;

export function createDailySpending(options: {
  readonly pool: Pool;
  readonly catalogue: BillerCatalogue;
  readonly nowMs: () => number;
  /** In which the days begin. */
  readonly timeZone: string;
}): DailySpending {
  const { pool, catalogue, nowMs, timeZone } = options;
  let read: ReadonlyMap<string, bigint> = new Map();
  let claimed = new Map<string, bigint>();
  let nextMs = 0;
  return {
    isSpent: (billerCode, { operatorCode, dailyLimitCents }) => {
      if (dailyLimitCents === null) return false;
      const name = `${billerCode} ${operatorCode}`;
      return (read.get(name) ?? 0n) + (claimed.get(name) ?? 0n) >= dailyLimitCents;
    },
    note: ({ billerCode, operatorCode, amountCents }) => {
      const name = `${billerCode} ${operatorCode ?? ''}`;
      claimed.set(name, (claimed.get(name) ?? 0n) + amountCents);
    },
    refresh: async () => {
      if (nowMs() < nextMs) return;
      nextMs = nowMs() + REFRESH_MS;
      const limited = catalogue
        .billers()
        .filter(({ routes }) => routes.some(({ dailyLimitCents }) => dailyLimitCents !== null));
      const before = claimed;
      claimed = new Map();
      if (limited.length === 0) return;
      try {
        read = await readSpending(
          pool,
          limited.map(({ billerCode }) => billerCode),
          timeZone,
        );
      } catch (error) {
        for (const [name, cents] of before) claimed.set(name, (claimed.get(name) ?? 0n) + cents);
        throw error;
      }
    },
  };
}
