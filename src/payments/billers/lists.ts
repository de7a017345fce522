import { Refusal } from '../../platform/base/errors.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { feePriceFor } from '../prices/price.ts';
import type { FeePrice } from '../prices/price.ts';
import { feePricesByBiller, listFeePrices } from '../prices/store.ts';
import { listBillerHealth } from './health.ts';
import type { BillerHealth } from './health.ts';
import type { PhonePrefix } from './kenyan-prefixes.ts';
import { listRouteRows, routeOf } from './routes-store.ts';
import type { RouteRow } from './routes-store.ts';
import { listPrefixes } from './store.ts';

/** Billers, operators and prefixes as people read them. */

export interface ListedBiller extends BillerHealth {
  /** The fee of vendors that have no fee of their own; undefined: none. */
  readonly fee: FeePrice | undefined;
}

/** Every biller, in the order vendors see them. */
export async function readBillers(db: Queryable, now: Date): Promise<ListedBiller[]> {
  const fees = feePricesByBiller(await listFeePrices(db, 'recent'));
  return (await listBillerHealth(db)).map((health) => ({
    ...health,
    fee: feePriceFor(fees.get(health.biller.billerCode) ?? new Map(), null, now.getTime()),
  }));
}

/** Throws: `not_found`. */
export async function readBiller(
  db: Queryable,
  billerCode: string,
  now: Date,
): Promise<ListedBiller> {
  const found = (await readBillers(db, now)).find(({ biller }) => biller.billerCode === billerCode);
  if (found !== undefined) return found;
  throw new Refusal('not_found', { text: `Biller ${billerCode} does not exist.` });
}

/** A route with what keeps it from being used; null: it can be. */
export interface ListedRoute extends RouteRow {
  readonly obstacleReason: string | null;
  /** Nothing goes through it until the operator is probed. */
  readonly isBreakerOpen: boolean;
}

/** By biller, in the order in which they are tried. @param billerCode undefined: of every biller. */
export async function readRoutes(db: Queryable, billerCode?: string): Promise<ListedRoute[]> {
  const rows = await listRouteRows(db);
  return rows
    .filter((row) => (billerCode ?? row.billerCode) === row.billerCode)
    .map((row) => {
      const { obstacleReason, breaker } = routeOf(row);
      return { ...row, obstacleReason, isBreakerOpen: breaker?.trialSince === null };
    });
}

export async function readPrefixes(db: Queryable): Promise<readonly PhonePrefix[]> {
  return await listPrefixes(db);
}

/** The biller of a prefix now; null: nobody's. */
export async function billerOfPrefix(db: Queryable, prefix: string): Promise<string | null> {
  const found = (await listPrefixes(db)).find((row) => row.prefix === prefix);
  return found?.billerCode ?? null;
}
