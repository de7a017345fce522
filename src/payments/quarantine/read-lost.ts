import type { Queryable } from '../../platform/db/pool.ts';

/** A payment that a case names and the ledger does not have: a restore lost it, and it is paid. */
export interface LostPaymentRow {
  vendorId: number;
  paymentId: string;
  /** As the statement has them. */
  billerCode: string | null;
  account: string | null;
  amountCents: bigint;
  at: Date;
  /** Two people have decided that the vendor pays for it; false: the case is open. */
  isCharged: boolean;
}

const LOST = `select c.vendor_id as "vendorId", c.payment_id as "paymentId",
    c.facts ->> 'biller' as "billerCode", c.facts ->> 'account' as account,
    coalesce((c.facts ->> 'paid_cents')::bigint, 0) as "amountCents",
    c.opened_at as at, c.resolved_at is not null as "isCharged"
  from cases c
  where c.kind = 'theirs_only' and c.vendor_id <> 0
    and c.payment_id is not null and c.facts ->> 'movement' = 'payment'
    and not exists (select from payments t
      where t.bucket = c.bucket and t.vendor_id = c.vendor_id and t.payment_id = c.payment_id)
    and not exists (select from archived_payments a
      where a.bucket = c.bucket and a.vendor_id = c.vendor_id and a.payment_id = c.payment_id)`;

const OPEN = 'c.resolved_at is null';

/** Lists all vendors' lost payments that people have not decided about. */
export async function listLost(db: Queryable): Promise<LostPaymentRow[]> {
  return (await db.query<LostPaymentRow>(`${LOST} and ${OPEN} order by c.opened_at, c.case_id`))
    .rows;
}

/** The vendor's payment with this id, if a case says that it was lost, and it was not given back since. */
export async function findLost(
  db: Queryable,
  { vendorId, paymentId }: { readonly vendorId: number; readonly paymentId: string },
): Promise<LostPaymentRow | undefined> {
  const found = await db.query<LostPaymentRow>(
    `${LOST} and c.bucket = bucket_of($1) and c.vendor_id = $1 and c.payment_id = $2
       and (${OPEN} or c.resolution = 'charge_vendor' and not exists (select from corrections k
         where k.bucket = c.bucket and k.vendor_id = c.vendor_id and k.payment_id = c.payment_id
           and k.resolution = 'return_to_vendor'))
     order by c.resolved_at nulls last, c.opened_at limit 1`,
    [vendorId, paymentId],
  );
  return found.rows[0];
}

/** Resolves to true while people still have to decide about a lost payment of the vendor. */
export async function hasLost(db: Queryable, vendorId: number): Promise<boolean> {
  const found = await db.query(
    `${LOST} and ${OPEN} and c.bucket = bucket_of($1) and c.vendor_id = $1 limit 1`,
    [vendorId],
  );
  return found.rowCount === 1;
}
