import { groupByBucket } from '../../parties/by-bucket-store.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { AccountName } from './account.ts';

/** Locks the vendor's float row, which guards all of its accounts. Returns its balance in cents. */
export async function lockFloat(db: Queryable, vendorId: number): Promise<bigint> {
  const locked = await db.query<{ balanceCents: bigint }>(
    `select balance_cents as "balanceCents" from accounts where bucket = bucket_of($1) and vendor_id = $1 and account = 'float'
      for update`,
    [vendorId],
  );
  const row = locked.rows[0];
  if (row === undefined) throw new Error(`vendor ${vendorId} has no float account`);
  return row.balanceCents;
}

/** Creates the accounts that the vendor does not have yet, such as those for an operator. */
export async function ensureAccounts(
  db: Queryable,
  vendorId: number,
  accounts: readonly AccountName[],
): Promise<void> {
  await db.query(
    `insert into accounts (bucket, vendor_id, account)
     select bucket_of($1), $1, account from unnest($2::text[]) as account order by 2 on conflict do nothing`,
    [vendorId, accounts],
  );
}

export interface Transfer {
  readonly vendorId: number;
  /** The cause of the transfer; together with `leg` it makes the transfer unique. */
  readonly sourceId: string;
  readonly leg: number;
  readonly debitAccount: AccountName;
  readonly creditAccount: AccountName;
  readonly amountCents: bigint;
  readonly createdAt: Date;
}

/**
 * Posts one transfer and updates both balances; an account that the vendor does not have yet is created. The caller
 * holds the vendor's float row (`lockFloat`). Throws (SQLSTATE 23514) if a balance would become negative, (23505) if it was
 * already posted.
 */
export async function postTransfer(db: Queryable, transfer: Transfer): Promise<void> {
  const { vendorId, debitAccount, creditAccount, amountCents } = transfer;
  const posted = await db.query<{ account: string }>(
    `with posted as (
       insert into transfers (bucket, vendor_id, source_id, leg, debit_account, credit_account,
         amount_cents, created_at)
       values (bucket_of($1), $1, $2, $3, $4, $5, $6, $7)
     )
     update accounts
     set balance_cents = balance_cents + case when account = $4 then -$6::bigint else $6::bigint end
     where bucket = bucket_of($1) and vendor_id = $1 and account in ($4, $5)
     returning account`,
    [
      vendorId,
      transfer.sourceId,
      transfer.leg,
      debitAccount,
      creditAccount,
      amountCents,
      transfer.createdAt,
    ],
  );
  if (posted.rowCount === 2) return;
  const changes = [
    { account: debitAccount, cents: -amountCents },
    { account: creditAccount, cents: amountCents },
  ].filter(({ account }) => !posted.rows.some((row) => row.account === account));
  await db.query(
    `insert into accounts (bucket, vendor_id, account, balance_cents)
     select bucket_of($1), $1, account, cents from unnest($2::text[], $3::bigint[]) as u (account, cents)`,
    [vendorId, changes.map(({ account }) => account), changes.map(({ cents }) => cents)],
  );
}

/**
 * Locks these vendors' floats in order of their buckets and ids, like all code that moves money of
 * several vendors.
 */
export async function lockFloats(db: Queryable, vendorIds: readonly number[]): Promise<void> {
  const wanted = vendorIds.map((vendorId) => ({ vendorId }));
  for (const { bucket, items } of await groupByBucket(db, wanted)) {
    await db.query(
      `select from accounts where bucket = $1 and vendor_id = any ($2) and account = 'float'
       order by vendor_id for update`,
      [bucket, items.map(({ vendorId }) => vendorId)],
    );
  }
}

/**
 * Age of the oldest transfer that is not yet in the hash chain; 0 if all are. The chain may stand still for
 * weeks, which is when people ask, so the first hour of them is read first. Nothing is older than the first
 * hour that is summed.
 */
export async function readUnchainedSeconds(db: Queryable): Promise<number> {
  const read = await db.query<{ begin: string }>(
    `select greatest(ended_at, coalesce((select min(hour) from transfer_hours), '-infinity'))::text as begin
     from ledger_chain`,
  );
  const begin = read.rows[0]?.begin ?? '-infinity';
  for (const sql of OLDEST_SECONDS) {
    const oldest = await db.query<{ ageSeconds: number | null }>(sql, [begin]);
    const ageSeconds = oldest.rows[0]?.ageSeconds ?? null;
    if (ageSeconds !== null) return ageSeconds;
  }
  return 0;
}

/** Reads the first hour from an instant on, and only if it is empty everything later. */
const OLDEST_SECONDS = [
  `f.created_at >= $1::timestamptz and f.created_at < $1::timestamptz + interval '1 hour'`,
  `f.created_at >= $1::timestamptz + interval '1 hour'`,
].map(
  (where) => `select extract(epoch from now() - min(f.created_at))::float8 as "ageSeconds"
     from transfers f where ${where}`,
);
