import type { Queryable } from '../../platform/db/pool.ts';
import type { Availability, Route } from './biller.ts';
import { billerOf } from './catalogue.ts';
import { listRoutes } from './routes-store.ts';
import { listBillers } from './store.ts';
import type { BillerRow } from './store.ts';

/** The state of one biller, and the reasons why it cannot be paid. */
export interface BillerHealth {
  readonly biller: BillerRow;
  /** By position. */
  readonly routes: readonly Route[];
  /** The status that vendors see; `biller.status` is the one that people set. */
  readonly availability: Availability;
  /** Why no route can be used; null: one can. */
  readonly obstacle: string | null;
  /** Why vendors see it OFFLINE; null: they see it ONLINE. */
  readonly offlineReason: string | null;
}

/** Every biller, in the order vendors see them. */
export async function listBillerHealth(db: Queryable): Promise<BillerHealth[]> {
  const routes = await listRoutes(db);
  return (await listBillers(db)).map((biller) => {
    const own = routes.get(biller.billerCode) ?? [];
    return healthOf(biller, own);
  });
}

function healthOf(biller: BillerRow, routes: readonly Route[]): BillerHealth {
  const { availability } = billerOf(biller, routes);
  const obstacle = obstacleOf(routes);
  const offlineReason = availability === 'ONLINE' ? null : whyOffline(biller, obstacle);
  return { biller, routes, availability, obstacle, offlineReason };
}

function whyOffline(biller: BillerRow, obstacle: string | null): string | null {
  if (biller.quarantined) return 'quarantine after a restore';
  return biller.status === 'OFFLINE' ? (biller.offlineReason ?? 'set OFFLINE') : obstacle;
}

function obstacleOf(routes: readonly Route[]): string | null {
  if (routes.some(({ obstacle }) => obstacle === null)) return null;
  return routes
    .map(({ operatorCode, obstacleReason }) =>
      routes.length === 1 ? obstacleReason : `${operatorCode}: ${obstacleReason}`,
    )
    .join('; ');
}
