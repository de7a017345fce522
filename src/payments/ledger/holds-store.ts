import type { Queryable } from '../../platform/db/pool.ts';

interface Held {
  vendorId: number;
  cents: bigint;
  /** Where it returns to. */
  from: 'collected' | 'float';
}

/** Finds an open hold by its id. Reads only vendors for whom anything is held. */
export async function findHold(db: Queryable, holderId: string): Promise<Held | undefined> {
  const found = await db.query<Held>(
    `select t.vendor_id as "vendorId", t.amount_cents as cents, t.debit_account as "from"
     from accounts a
       join transfers t on t.bucket = a.bucket and t.vendor_id = a.vendor_id and t.source_id = $1
         and t.leg = 1 and t.credit_account = 'held'
       left join transfers g on g.bucket = a.bucket and g.vendor_id = a.vendor_id and g.source_id = $1
         and g.leg = 2
     where a.account = 'held' and a.balance_cents > 0 and g.source_id is null`,
    [holderId],
  );
  return found.rows[0];
}
