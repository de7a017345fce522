import { newId } from '../../platform/base/ids.ts';
import type { Mac } from '../../platform/base/mac.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { postingTime } from '../ledger/store.ts';
import type { HouseTransfer, PostedTransfer } from './transfer.ts';
import { houseTransferText } from './transfer.ts';

/** Posts a transfer once. Returns undefined if its source was booked before. */
export async function postHouseTransfer(
  db: Queryable,
  mac: Mac,
  transfer: HouseTransfer,
): Promise<PostedTransfer | undefined> {
  const posted = { ...transfer, transferId: newId(), postedAt: await postingTime(db) };
  const inserted = await db.query(
    `insert into house_transfers (transfer_id, source, source_id, debit_account, credit_account,
       amount_cents, moved_at, posted_at, mac)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict do nothing`,
    [
      posted.transferId,
      posted.source,
      posted.sourceId,
      posted.debitAccount,
      posted.creditAccount,
      posted.amountCents,
      posted.movedAt,
      posted.postedAt,
      mac.sign(houseTransferText(posted)),
    ],
  );
  return inserted.rowCount === 1 ? posted : undefined;
}

export interface AccountTotals {
  readonly account: string;
  readonly debitCents: bigint;
  readonly creditCents: bigint;
}

/** What was posted to each account of the house. */
export async function readHouseTotals(db: Queryable): Promise<AccountTotals[]> {
  const read = await db.query<AccountTotals>(
    `select account, sum(debit)::bigint as "debitCents", sum(credit)::bigint as "creditCents" from (
       select debit_account as account, amount_cents as debit, 0 as credit from house_transfers
       union all
       select credit_account, 0, amount_cents from house_transfers
     ) s group by account order by account`,
  );
  return read.rows;
}

/** All accounts of all vendors together, as they are now; positive: a credit. */
export async function readVendorTotals(
  db: Queryable,
): Promise<{ account: string; balanceCents: bigint }[]> {
  const read = await db.query<{ account: string; balanceCents: bigint }>(
    `select account, sum(balance_cents)::bigint as "balanceCents" from accounts
     group by account order by account`,
  );
  return read.rows;
}

export interface HouseTransferRow {
  postedAt: Date;
  movedAt: Date;
  transferId: string;
  source: string;
  sourceId: string;
  debitAccount: string;
  creditAccount: string;
  amountCents: bigint;
  reference: string | null;
}

/** The newest transfers of an account, or of all. */
export async function listHouseTransfers(
  db: Queryable,
  filter: { readonly account: string | null; readonly limit: number },
): Promise<HouseTransferRow[]> {
  const listed = await db.query<HouseTransferRow>(
    `select t.posted_at as "postedAt", t.moved_at as "movedAt", t.transfer_id as "transferId",
       t.source, t.source_id as "sourceId", t.debit_account as "debitAccount",
       t.credit_account as "creditAccount", t.amount_cents as "amountCents", e.reference
     from house_transfers t left join house_entries e
       on t.source = 'entry' and e.entry_id = t.source_id
     where $1::text is null or $1 in (t.debit_account, t.credit_account)
     order by t.posted_at desc, t.transfer_id desc limit $2`,
    [filter.account, filter.limit],
  );
  return listed.rows;
}

/** When the books of an operator's float begin; null: nothing is booked. */
export async function readFloatBeginning(
  db: Queryable,
  operatorCode: string,
): Promise<{ readonly isBooked: boolean; readonly beganAt: Date | null }> {
  const read = await db.query<{ isBooked: boolean; beganAt: Date | null }>(
    `select count(*) > 0 as "isBooked",
       max(t.moved_at) filter (where t.source = 'opening' or e.kind = 'opening') as "beganAt"
     from house_transfers t left join house_entries e
       on t.source = 'entry' and e.entry_id = t.source_id
     where 'operator-float:' || $1 in (t.debit_account, t.credit_account)`,
    [operatorCode],
  );
  return read.rows[0] ?? { isBooked: false, beganAt: null };
}

/**
 * What vendors' payments have consumed of our float with an operator before an instant, in cents:
 * what their accounts show now, without what was posted since.
 */
export async function readConsumed(
  db: Queryable,
  operatorCode: string,
  before: Date,
): Promise<bigint> {
  const read = await db.query<{ cents: bigint }>(
    // One statement, so that both sums belong to the same instant.
    `select (a.cents - f.cents)::bigint as cents
     from (
       select coalesce(sum(balance_cents), 0) as cents from accounts
       where account in ('operator:' || $1, 'receivable:' || $1)
     ) a cross join (
       select coalesce(sum(amount_cents * (
         (credit_account in ('operator:' || $1, 'receivable:' || $1))::integer
         - (debit_account in ('operator:' || $1, 'receivable:' || $1))::integer)), 0) as cents
       from transfers where created_at >= $2
     ) f`,
    [operatorCode, before],
  );
  return read.rows[0]?.cents ?? 0n;
}

/** Whether anything is booked about our float with an operator. */
export async function isFloatBooked(db: Queryable, operatorCode: string): Promise<boolean> {
  return (await readFloatBeginning(db, operatorCode)).isBooked;
}
