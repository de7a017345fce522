import { Refusal } from '../../platform/base/errors.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { isOnTrial } from '../billers/biller.ts';
import type { Availability } from '../billers/biller.ts';
import { billerOf } from '../billers/catalogue.ts';
import { listRoutes } from '../billers/routes-store.ts';
import { findBiller } from '../billers/store.ts';
import { LIMIT_REACHED, chooseRoute, obstacleOf, obstacleTo } from './route.ts';
import type { Obstacle } from './route.ts';
import { readSpending } from './spending-store.ts';

/** Where a payment would go now. */
export interface TriedRoutes {
  readonly availability: Availability;
  /** Null: nothing would be sent. */
  readonly operatorCode: string | null;
  readonly reason: string | null;
  /** By position. */
  readonly routes: readonly {
    readonly operatorCode: string;
    readonly position: number;
    readonly weight: number;
    /** Null: the payment could go through it. */
    readonly obstacle: string | null;
    /** Its circuit breaker lets only a few payments through. */
    readonly isOnTrial: boolean;
  }[];
}

/**
 * Decides as the dispatcher would, and changes nothing. Free slots with the operators are not known
 * here. Throws: `not_found`.
 */
export async function tryRoutes(
  db: Queryable,
  { billerCode, amountCents }: { readonly billerCode: string; readonly amountCents: bigint },
  timeZone: string,
): Promise<TriedRoutes> {
  const row = await findBiller(db, billerCode);
  if (row === undefined) {
    throw new Refusal('not_found', { text: `Biller ${billerCode} does not exist.` });
  }
  const biller = billerOf(row, (await listRoutes(db)).get(billerCode) ?? []);
  const spending = await readSpending(db, [billerCode], timeZone);
  const candidates = biller.routes.map((route) => ({
    route,
    obstacle:
      obstacleOf(route) ?? limitReached(route, spending.get(`${billerCode} ${route.operatorCode}`)),
    free: 1,
    sentLately: 0,
  }));
  const isOnline = biller.availability === 'ONLINE';
  const choice = isOnline ? chooseRoute(candidates, amountCents) : undefined;
  return {
    availability: biller.availability,
    operatorCode: choice?.operatorCode ?? null,
    reason: choice?.reason ?? null,
    routes: candidates.map((candidate) => ({
      operatorCode: candidate.route.operatorCode,
      position: candidate.route.position,
      weight: candidate.route.weight,
      obstacle: obstacleTo(candidate, amountCents)?.text ?? null,
      isOnTrial: isOnTrial(candidate.route),
    })),
  };
}

function limitReached(
  { dailyLimitCents }: { readonly dailyLimitCents: bigint | null },
  spentCents = 0n,
): Obstacle | null {
  return dailyLimitCents !== null && spentCents >= dailyLimitCents ? LIMIT_REACHED : null;
}
