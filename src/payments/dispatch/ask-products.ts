import type { Product } from '../../connectors/operator.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { askConnector } from '../billers/open-connector.ts';
import { readProducts, refreshProducts } from './product-watch.ts';

/** Asks operators for their products, on behalf of people. */

type By = Parameters<typeof askConnector>[1] & { readonly pool: Pool };

/** Everything that the operator sells now; nothing is saved. Throws: `PlainError`. */
export async function askProducts(operatorCode: string, by: By): Promise<readonly Product[]> {
  const all = await askConnector(operatorCode, by, async (one) => await readProducts(one));
  if (all === null) throw new PlainError(`${operatorCode} has no list of products.`);
  if (typeof all === 'string') throw noList(operatorCode, all);
  return all;
}

/** Asks the operator and saves its list, if it has one. Throws: `PlainError`; the earlier list stays. */
export async function refreshListing(operatorCode: string, by: By): Promise<void> {
  const refreshed = await askConnector(
    operatorCode,
    by,
    async (connector) => await refreshProducts(by.pool, operatorCode, { connector }),
  );
  if (refreshed.kind === 'failed') throw noList(operatorCode, refreshed.reason);
}

function noList(operatorCode: string, reason: string): PlainError {
  return new PlainError(`${operatorCode} did not send its list: ${reason}`);
}
