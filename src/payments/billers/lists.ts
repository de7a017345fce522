import type { Queryable } from '../../platform/db/pool.ts';
import { listPrefixes } from './store.ts';
import type { PhonePrefix } from './kenyan-prefixes.ts';

/** Billers, operators and prefixes as people read them. */

export async function readPrefixes(db: Queryable): Promise<readonly PhonePrefix[]> {
  return await listPrefixes(db);
}

/** The biller of a prefix now; null: nobody's. */
export async function billerOfPrefix(db: Queryable, prefix: string): Promise<string | null> {
  const found = (await listPrefixes(db)).find((row) => row.prefix === prefix);
  return found?.billerCode ?? null;
}
