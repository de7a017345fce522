import type { Sector } from '../../parties/vendor.ts';
import type { AmountUnit } from './account.ts';
import type { Queryable } from '../../platform/db/pool.ts';

/** Registers the lender, or returns the sector it is registered with. */
export async function registerLender(
  db: Queryable,
  lender: { readonly lender: string; readonly sector: Sector; readonly at: Date },
): Promise<Sector> {
  await db.query(
    'insert into lenders (lender, sector, created_at) values ($1, $2, $3) on conflict do nothing',
    [lender.lender, lender.sector, lender.at],
  );
  const read = await db.query<{ sector: Sector }>('select sector from lenders where lender = $1', [
    lender.lender,
  ]);
  return read.rows[0]?.sector ?? lender.sector;
}

/** @param amounts null: each file has to say it. Returns false if there is no such lender. */
export async function setAmountUnit(
  db: Queryable,
  lender: string,
  amounts: AmountUnit | null,
): Promise<boolean> {
  const updated = await db.query('update lenders set amounts = $2 where lender = $1', [
    lender,
    amounts,
  ]);
  return updated.rowCount === 1;
}
