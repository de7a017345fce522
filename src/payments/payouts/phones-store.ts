import type { Queryable } from '../../platform/db/pool.ts';
import type { PayoutPhoneContent } from '../ledger/authenticity.ts';

export type PayoutPhoneRow = PayoutPhoneContent & { readonly mac: Buffer };

/** The row in force; undefined: the vendor never had a phone for payouts. */
export async function findPayoutPhone(
  db: Queryable,
  vendorId: number,
): Promise<PayoutPhoneRow | undefined> {
  const found = await db.query<PayoutPhoneRow>(
    `select vendor_id as "vendorId", number, phone, set_at as "setAt", set_by as "setBy", mac
     from payout_phones where vendor_id = $1 order by number desc limit 1`,
    [vendorId],
  );
  return found.rows[0];
}

export async function insertPayoutPhone(db: Queryable, row: PayoutPhoneRow): Promise<void> {
  await db.query(
    `insert into payout_phones (vendor_id, number, phone, set_at, set_by, mac)
     values ($1, $2, $3, $4, $5, $6)`,
    [row.vendorId, row.number, row.phone, row.setAt, row.setBy, row.mac],
  );
}
