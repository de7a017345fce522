import type { Sector } from '../../parties/vendor.ts';
import type { AmountUnit } from './account.ts';
import type { Queryable } from '../../platform/db/pool.ts';

/** The unit of a lender's amounts, if it is set. */
export async function readAmountUnit(
  db: Queryable,
  lender: string,
): Promise<AmountUnit | undefined> {
  const read = await db.query<{ amounts: AmountUnit | null }>(
    'select amounts from lenders where lender = $1',
    [lender],
  );
  return read.rows[0]?.amounts ?? undefined;
}

export interface Lender {
  readonly lender: string;
  readonly sector: Sector;
  /** Null: each file has to say it. */
  readonly amounts: AmountUnit | null;
}

export async function findLender(db: Queryable, lender: string): Promise<Lender | undefined> {
  const read = await db.query<Lender>(
    'select lender, sector, amounts from lenders where lender = $1',
    [lender],
  );
  return read.rows[0];
}
