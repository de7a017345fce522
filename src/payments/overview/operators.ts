import { listKeys } from '../../parties/read-keys.ts';
import { Refusal } from '../../platform/base/errors.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { listFloatForecasts } from '../billers/float-forecasts.ts';
import type { FloatForecast } from '../billers/float-forecasts.ts';
import { readRoutes } from '../billers/lists.ts';
import { listOperators } from '../billers/store.ts';
import type { OperatorRow } from '../billers/store.ts';
import { countInstructions } from '../dispatch/queue-totals-store.ts';

/** An operator as people read it. */
export interface ListedOperator extends OperatorRow {
  readonly hasKey: boolean;
  /** Billers with a route through it. */
  readonly billers: readonly string[];
  /** Billers for which nothing is sent through the operator now, and why. */
  readonly blocked: readonly { readonly biller: string; readonly obstacle: string }[];
  readonly float: FloatForecast | null;
  /** Payments whose outcome it has to report. */
  readonly openInstructions: number;
}

export async function readOperators(db: Queryable, now: Date): Promise<ListedOperator[]> {
  const withKey = new Set((await listKeys(db, ['operator'])).map(({ holder }) => holder));
  const routes = Map.groupBy(await readRoutes(db), ({ operatorCode }) => operatorCode);
  const floats = new Map((await listFloatForecasts(db, now)).map((row) => [row.operatorCode, row]));
  const open = new Map(
    (await countInstructions(db)).map(({ operatorCode, count }) => [operatorCode, count]),
  );
  return (await listOperators(db)).map((row) => {
    const own = routes.get(row.operatorCode) ?? [];
    return {
      ...row,
      hasKey: withKey.has(row.operatorCode),
      billers: own.map(({ billerCode }) => billerCode),
      blocked: own.flatMap(({ billerCode: biller, obstacleReason: obstacle }) =>
        obstacle === null ? [] : [{ biller, obstacle }],
      ),
      float: floats.get(row.operatorCode) ?? null,
      openInstructions: open.get(row.operatorCode) ?? 0,
    };
  });
}

export async function findListed(
  db: Queryable,
  operatorCode: string,
  now: Date,
): Promise<ListedOperator | undefined> {
  return (await readOperators(db, now)).find((row) => row.operatorCode === operatorCode);
}

/** Throws: `not_found`. */
export async function readOperator(
  db: Queryable,
  operatorCode: string,
  now: Date,
): Promise<ListedOperator> {
  const found = await findListed(db, operatorCode, now);
  if (found !== undefined) return found;
  throw new Refusal('not_found', { text: `Operator ${operatorCode} does not exist.` });
}
