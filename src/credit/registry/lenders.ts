import { Refusal } from '../../platform/base/errors.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { AmountUnit } from './account.ts';
import { setAmountUnit } from './lenders-store.ts';
import { findLender } from './read-lenders.ts';
import type { Lender } from './read-lenders.ts';

/** Throws: `not_found`. */
export async function requireLender(db: Queryable, code: string): Promise<Lender> {
  const found = await findLender(db, code);
  if (found !== undefined) return found;
  throw new Refusal('not_found', { text: `Lender ${code} has not submitted a file yet.` });
}

/**
 * Sets the unit of a lender's amounts from now on. Returns what it was. Throws: `not_found`.
 * @param amounts null: each file has to say it.
 */
export async function changeAmountUnit(
  db: Queryable,
  code: string,
  amounts: AmountUnit | null,
): Promise<Lender> {
  const before = await requireLender(db, code);
  await setAmountUnit(db, code, amounts);
  return before;
}
