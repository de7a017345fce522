import type { Sector } from '../../parties/vendor.ts';
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
