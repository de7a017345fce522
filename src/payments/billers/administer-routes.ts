import { PlainError } from '../../platform/base/plain-error.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { changeSettings } from '../../platform/db/settings-watch.ts';
import { DEFAULT_TERMS, deleteRoute, listRouteRows, putRoute } from './routes-store.ts';
import type { RouteKey, RouteTerms } from './routes-store.ts';
import { findBiller, findOperator } from './store.ts';

/** Terms to change; absent ones stay. */
export type RouteChange = {
  readonly [Name in keyof RouteTerms]?: RouteTerms[Name] | undefined;
};

/**
 * Adds a route to a biller, or changes the terms that are given. Payments with an unknown outcome stay
 * with their operator. Returns true if it was added.
 */
export async function setRoute(
  db: Queryable,
  key: RouteKey,
  change: RouteChange,
): Promise<boolean> {
  return await changeSettings(db, 'billers', async (client) => {
    if ((await findBiller(client, key.billerCode)) === undefined) {
      throw new PlainError(`Biller ${key.billerCode} does not exist.`);
    }
    if ((await findOperator(client, key.operatorCode)) === undefined) {
      throw new PlainError(`Operator ${key.operatorCode} does not exist.`);
    }
    const rows = await listRouteRows(client);
    const known = rows.find(
      (row) => row.billerCode === key.billerCode && row.operatorCode === key.operatorCode,
    );
    const given = Object.fromEntries(
      Object.entries(change).filter(([, value]) => value !== undefined),
    );
    const terms: RouteTerms = { ...(known ?? { ...DEFAULT_TERMS, position: 1 }), ...given };
    const { minimumCents: minimum, maximumCents: maximum } = terms;
    if (minimum !== null && maximum !== null && maximum < minimum) {
      throw new PlainError('The maximum is below the minimum.', { field: 'maximum' });
    }
    await putRoute(client, { ...terms, ...key });
    return known === undefined;
  });
}

/** Removes a route. Payments with an unknown outcome are still verified with its operator. */
export async function removeRoute(db: Queryable, key: RouteKey): Promise<void> {
  await changeSettings(db, 'billers', async (client) => {
    const biller = await findBiller(client, key.billerCode);
    if (biller?.operatorCode === key.operatorCode) {
      throw new PlainError(
        `${key.operatorCode} is the biller’s own operator: set the route OFFLINE, or give the biller another operator with: biller set ${key.billerCode} --operator <code>`,
      );
    }
    if (!(await deleteRoute(client, key.billerCode, key.operatorCode))) {
      throw new PlainError(`${key.billerCode} has no route through ${key.operatorCode}.`);
    }
  });
}
