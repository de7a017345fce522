import type { Queryable } from '../src/platform/db/pool.ts';

/**
 * pgledger, a ledger of SQL functions, when `PGLEDGER_SQL` names its file: two accounts for each
 * vendor, and one transfer for each create, in its own call and commit. It stores no payments and
 * has no queue.
 */
export async function installPgledger(
  db: Queryable,
  sql: string,
  vendorIds: readonly number[],
): Promise<void> {
  await db.query(sql);
  await db.query(
    `select a.id from unnest($1::integer[]) as v (vendor_id)
       cross join (values ('float'), ('reserved')) as k (kind)
       cross join lateral pgledger_create_account(k.kind || ' ' || v.vendor_id, 'KES') a`,
    [vendorIds],
  );
}

export interface PgledgerAccounts {
  readonly float: string;
  readonly reserved: string;
}

/** By vendor. */
export async function readPgledgerAccounts(db: Queryable): Promise<Map<number, PgledgerAccounts>> {
  const read = await db.query<PgledgerAccounts & { vendor_id: number }>(
    `select split_part(name, ' ', 2)::integer as vendor_id, min(id) filter (where name like 'float %') as float,
       min(id) filter (where name like 'reserved %') as reserved
     from pgledger_accounts group by 1`,
  );
  return new Map(read.rows.map((row) => [row.vendor_id, row]));
}

export async function transferByPgledger(
  db: Queryable,
  { float, reserved }: PgledgerAccounts,
  amountCents: bigint,
): Promise<void> {
  await db.query({
    name: 'pgledger_transfer',
    text: 'select from pgledger_create_transfer($1, $2, $3)',
    values: [float, reserved, amountCents],
  });
}

export async function countPgledgerTransfers(db: Queryable): Promise<number> {
  const counted = await db.query<{ count: bigint }>(
    'select count(*) as count from pgledger_transfers',
  );
  return Number(counted.rows[0]?.count ?? 0);
}
