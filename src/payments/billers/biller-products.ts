import type { Pool } from '../../platform/db/pool.ts';
import type { AmountRule } from './product.ts';
import { listListings, listProducts } from './products-store.ts';
import type { ListedProduct, ListingRow } from './products-store.ts';
import { listRoutes } from './routes-store.ts';
import { findBiller } from './store.ts';

/** The products and amounts that a biller's operators sell for it. */
export interface BillerProducts {
  readonly amounts: AmountRule;
  /** By position of the route; a null date: the operator has never listed anything. */
  readonly listings: readonly ListingRow[];
  readonly products: readonly ListedProduct[];
}

/** As the operators listed it last. Undefined: the biller does not exist. */
export async function readBillerProducts(
  pool: Pool,
  billerCode: string,
): Promise<BillerProducts | undefined> {
  const row = await findBiller(pool, billerCode);
  if (row === undefined) return undefined;
  const operators = ((await listRoutes(pool)).get(billerCode) ?? []).map((one) => one.operatorCode);
  const known = new Map((await listListings(pool)).map((one) => [one.operatorCode, one]));
  return {
    amounts: row.amounts,
    listings: operators.map(
      (operatorCode) => known.get(operatorCode) ?? { operatorCode, refreshedAt: null, error: null },
    ),
    products: (await listProducts(pool)).filter(
      (one) => operators.includes(one.operatorCode) && one.billerCodes.includes(billerCode),
    ),
  };
}
