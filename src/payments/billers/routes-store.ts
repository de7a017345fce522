import type { Queryable } from '../../platform/db/pool.ts';
import type { OperatorPrice } from '../prices/price.ts';
import { listOperatorPrices, operatorPricesByRoute } from '../prices/store.ts';
import type { Availability, Route, RouteObstacle } from './biller.ts';

/** The terms of a route, as stored. */
export interface RouteTerms {
  readonly position: number;
  readonly weight: number;
  readonly minimumCents: bigint | null;
  readonly maximumCents: bigint | null;
  readonly dailyLimitCents: bigint | null;
  readonly status: Availability;
}

export interface RouteRow extends RouteTerms {
  readonly billerCode: string;
  readonly operatorCode: string;
  /** Null: the circuit breaker is closed; the same for the pause. */
  readonly breakerReason: string | null;
  readonly breakerCooldownMs: number | null;
  readonly trialSince: Date | null;
  readonly floatStopped: boolean;
}

/** The terms of a biller's own operator without a row. */
export const DEFAULT_TERMS: RouteTerms = {
  position: 0,
  weight: 1,
  minimumCents: null,
  maximumCents: null,
  dailyLimitCents: null,
  status: 'ONLINE',
};

const ROUTES = `select r.biller_code as "billerCode", r.operator_code as "operatorCode", r.position,
    r.weight, r.minimum_cents as "minimumCents", r.maximum_cents as "maximumCents",
    r.daily_limit_cents as "dailyLimitCents", r.status, k.reason as "breakerReason",
    k.cooldown_ms as "breakerCooldownMs", k.trial_since as "trialSince",
    coalesce(f.state = 'stopped', false) as "floatStopped"
  from (
    select biller_code, operator_code, position, weight, minimum_cents, maximum_cents,
      daily_limit_cents, status
    from routes
    union all
    select biller_code, operator_code, 0, 1, null, null, null, 'ONLINE' from billers b
    where not exists (select from routes r
      where r.biller_code = b.biller_code and r.operator_code = b.operator_code)
  ) r
    left join route_breakers k using (biller_code, operator_code)
    left join operator_floats f using (operator_code)
  order by r.biller_code, r.position, r.operator_code`;

/** Every route, by biller and position. */
export async function listRouteRows(db: Queryable): Promise<RouteRow[]> {
  return (await db.query<RouteRow>(ROUTES)).rows;
}

/** The routes of each biller, by position. */
export async function listRoutes(db: Queryable): Promise<ReadonlyMap<string, readonly Route[]>> {
  const routes = new Map<string, Route[]>();
  const prices = operatorPricesByRoute(await listOperatorPrices(db, 'recent'));
  for (const row of await listRouteRows(db)) {
    const route = routeOf(row, prices.get(`${row.billerCode} ${row.operatorCode}`));
    routes.set(row.billerCode, [...(routes.get(row.billerCode) ?? []), route]);
  }
  return routes;
}

/** The route of a stored row. */
export function routeOf(row: RouteRow, prices: readonly OperatorPrice[] = []): Route {
  const obstacle = obstacleOf(row);
  return {
    operatorCode: row.operatorCode,
    position: row.position,
    weight: row.weight,
    minimumCents: row.minimumCents,
    maximumCents: row.maximumCents,
    dailyLimitCents: row.dailyLimitCents,
    prices,
    obstacle,
    obstacleReason: obstacle === null ? null : reasonOf(row, obstacle),
    breaker:
      row.breakerCooldownMs === null
        ? null
        : { cooldownMs: row.breakerCooldownMs, trialSince: row.trialSince },
  };
}

function obstacleOf(row: RouteRow): RouteObstacle | null {
  if (row.status === 'OFFLINE') return 'offline';
  if (row.breakerReason !== null && row.trialSince === null) return 'breaker';
  return row.floatStopped ? 'float' : null;
}

function reasonOf(row: RouteRow, obstacle: RouteObstacle): string {
  switch (obstacle) {
    case 'offline':
      return 'set OFFLINE';
    case 'breaker':
      return `circuit breaker: ${row.breakerReason ?? ''}`;
    case 'float':
      return 'our float with it is too low';
  }
}

/** Billers that only their own operator executes. */
export async function listBillersOfOneRoute(
  db: Queryable,
): Promise<{ readonly billerCode: string; readonly operatorCode: string }[]> {
  const listed = await db.query<{ billerCode: string; operatorCode: string }>(
    `select biller_code as "billerCode", operator_code as "operatorCode" from billers b
     where not exists (select from routes r
       where r.biller_code = b.biller_code and r.operator_code <> b.operator_code)`,
  );
  return listed.rows;
}

/** Inserts the route or replaces its terms. */
export async function putRoute(
  db: Queryable,
  route: RouteTerms & { readonly billerCode: string; readonly operatorCode: string },
): Promise<void> {
  await db.query(
    `insert into routes (biller_code, operator_code, position, weight, minimum_cents, maximum_cents,
       daily_limit_cents, status)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (biller_code, operator_code) do update set position = excluded.position,
       weight = excluded.weight, minimum_cents = excluded.minimum_cents,
       maximum_cents = excluded.maximum_cents, daily_limit_cents = excluded.daily_limit_cents,
       status = excluded.status`,
    [
      route.billerCode,
      route.operatorCode,
      route.position,
      route.weight,
      route.minimumCents,
      route.maximumCents,
      route.dailyLimitCents,
      route.status,
    ],
  );
}

/** Returns false if there was no row. */
export async function deleteRoute(
  db: Queryable,
  billerCode: string,
  operatorCode: string,
): Promise<boolean> {
  const deleted = await db.query(
    'delete from routes where biller_code = $1 and operator_code = $2',
    [billerCode, operatorCode],
  );
  return deleted.rowCount === 1;
}

/** Identifies a route. */
export interface RouteKey {
  readonly billerCode: string;
  readonly operatorCode: string;
}

/** Opens the route's circuit breaker, also from a trial; returns false if it was already open. */
export async function openBreaker(
  db: Queryable,
  breaker: RouteKey & { readonly cooldownMs: number; readonly reason: string },
): Promise<boolean> {
  const inserted = await db.query(
    `insert into route_breakers (biller_code, operator_code, opened_at, probe_at, cooldown_ms, reason)
     values ($1, $2, now(), now() + $3::integer * interval '1 millisecond', $3::integer, $4)
     on conflict (biller_code, operator_code) do update set opened_at = excluded.opened_at,
       probe_at = excluded.probe_at, cooldown_ms = excluded.cooldown_ms, reason = excluded.reason,
       trial_since = null
     where route_breakers.trial_since is not null`,
    [breaker.billerCode, breaker.operatorCode, breaker.cooldownMs, breaker.reason],
  );
  return inserted.rowCount === 1;
}

/** Lets a few payments through; returns false if the breaker is not open. */
export async function startTrial(
  db: Queryable,
  { billerCode, operatorCode }: RouteKey,
): Promise<boolean> {
  const started = await db.query(
    `update route_breakers set trial_since = now()
     where biller_code = $1 and operator_code = $2 and trial_since is null`,
    [billerCode, operatorCode],
  );
  return started.rowCount === 1;
}

/** Ends the trial as well. Returns false if it was already closed. */
export async function closeBreaker(
  db: Queryable,
  { billerCode, operatorCode }: RouteKey,
): Promise<boolean> {
  const deleted = await db.query(
    'delete from route_breakers where biller_code = $1 and operator_code = $2',
    [billerCode, operatorCode],
  );
  return deleted.rowCount === 1;
}

/** Open breakers that are due to be probed; each is given to one caller only. */
export async function takeProbes(db: Queryable, cooldownMs: number): Promise<RouteKey[]> {
  const taken = await db.query<RouteKey>(
    `update route_breakers set probe_at = now() + $1 * interval '1 millisecond'
     where probe_at <= now() and trial_since is null
     returning biller_code as "billerCode", operator_code as "operatorCode"`,
    [cooldownMs],
  );
  return taken.rows;
}
