import { newId } from '../../platform/base/ids.ts';
import type { Mac } from '../../platform/base/mac.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { postingTime } from '../../platform/db/posting-time.ts';
import { readPairs } from '../ledger/sums.ts';
import { takeYourTime } from '../ledger/sums-store.ts';
import type { PairSum } from '../ledger/sums-store.ts';
import { STANDARD_ACCOUNTS } from './standard-accounts.ts';
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
    `insert into house_transfers (transfer_id, source, source_id, part, debit_account,
       credit_account, amount_cents, moved_at, posted_at, mac)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict do nothing`,
    [
      posted.transferId,
      posted.source,
      posted.sourceId,
      posted.part,
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

/** From `from` on and before `to`. */
export interface BookPeriod {
  readonly from: Date;
  readonly to: Date;
}

/** The opening balance of an account, and the sums posted to it in a period. */
export interface AccountPeriod {
  readonly account: string;
  /** Positive: a credit. */
  readonly openingCents: bigint;
  readonly debitCents: bigint;
  readonly creditCents: bigint;
}

/** The accounts of the house in a period, by the time at which money moved, whenever that was posted. */
export async function readHousePeriod(
  db: Queryable,
  { from, to }: BookPeriod,
): Promise<AccountPeriod[]> {
  const read = await db.query<AccountPeriod>(
    `select account,
       coalesce(sum(credit - debit) filter (where moved_at < $1), 0)::bigint as "openingCents",
       coalesce(sum(debit) filter (where moved_at >= $1), 0)::bigint as "debitCents",
       coalesce(sum(credit) filter (where moved_at >= $1), 0)::bigint as "creditCents"
     from (
       select debit_account as account, amount_cents as debit, 0 as credit, moved_at
       from house_transfers where moved_at < $2
       union all
       select credit_account, 0, amount_cents, moved_at from house_transfers where moved_at < $2
     ) s group by account order by account`,
    [from, to],
  );
  return read.rows;
}

/** Whose accounts, and which. Null: all. */
export interface VendorAccounts {
  readonly vendorId: number | null;
  readonly account: string | null;
}

/**
 * Vendors' accounts in a period, each summed over the vendors. Counts back from the balances. The caller's
 * database transaction is a snapshot, and may take long.
 * @param posted what was posted to these accounts in the period, if the caller has read it.
 */
export async function readVendorsPeriod(
  db: Queryable,
  { from, to }: BookPeriod,
  { vendorId, account }: VendorAccounts,
  posted?: readonly PairSum[],
): Promise<AccountPeriod[]> {
  await takeYourTime(db);
  const balances = await readVendorBalances(db, { vendorId, account });
  const filter = { vendorId, accounts: account === null ? null : [account] };
  const inPeriod = sidesOf(posted ?? (await readPairs(db, { from, to }, filter)));
  const after = sidesOf(await readPairs(db, { from: to, to: null }, filter));
  return balances.map((row) => {
    const { debitCents, creditCents } = inPeriod.get(row.account) ?? NOTHING;
    const since = after.get(row.account) ?? NOTHING;
    const changeCents = creditCents - debitCents + since.creditCents - since.debitCents;
    return {
      account: row.account,
      openingCents: row.balanceCents - changeCents,
      debitCents,
      creditCents,
    };
  });
}

type Posted = Pick<AccountPeriod, 'debitCents' | 'creditCents'>;

const NOTHING: Posted = { debitCents: 0n, creditCents: 0n };

/** Sums debits and credits of the pairs by account. Pure. */
function sidesOf(pairs: readonly PairSum[]): ReadonlyMap<string, Posted> {
  const sides = new Map<string, Posted>();
  for (const { debitAccount, creditAccount, amountCents } of pairs) {
    const debit = sides.get(debitAccount) ?? NOTHING;
    sides.set(debitAccount, { ...debit, debitCents: debit.debitCents + amountCents });
    const credit = sides.get(creditAccount) ?? NOTHING;
    sides.set(creditAccount, { ...credit, creditCents: credit.creditCents + amountCents });
  }
  return sides;
}

/** As they are now; positive: a credit. */
export async function readVendorBalances(
  db: Queryable,
  { vendorId, account }: VendorAccounts,
): Promise<{ account: string; balanceCents: bigint }[]> {
  const read = await db.query<{ account: string; balanceCents: bigint }>(
    `select account, sum(balance_cents)::bigint as "balanceCents" from accounts
     where ($1::integer is null or bucket = bucket_of($1) and vendor_id = $1)
       and ($2::text is null or account = $2)
     group by account order by account`,
    [vendorId, account],
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
  /** The operator's statement that it comes from; null: people entered it. */
  statementId: string | null;
}

/** Null: any. */
export interface HouseTransferFilter {
  readonly account: string | null;
  readonly period: BookPeriod | null;
  /** Money moved before this one's. */
  readonly before: { readonly movedAt: Date; readonly transferId: string } | null;
  readonly limit: number;
}

/** Transfers of the house by the time at which money moved, newest first. */
export async function listHouseTransfers(
  db: Queryable,
  { account, period, before, limit }: HouseTransferFilter,
): Promise<HouseTransferRow[]> {
  const listed = await db.query<HouseTransferRow>(
    `select t.posted_at as "postedAt", t.moved_at as "movedAt", t.transfer_id as "transferId",
       t.source, t.source_id as "sourceId", t.debit_account as "debitAccount",
       t.credit_account as "creditAccount", t.amount_cents as "amountCents",
       coalesce(e.reference, j.reference, r.operator_reference, m.receipt) as reference,
       case when t.source in ('charges', 'opening') then t.source_id else r.statement_id end
         as "statementId"
     from house_transfers t
       left join house_entries e on t.source = 'entry' and e.entry_id = t.source_id
       left join house_journals j on t.source = 'journal' and j.journal_id = t.source_id
       left join statement_rows r on t.source = 'top_up' and r.row_id = t.source_id
       left join receipt_events v on t.source = 'reversal' and v.event_id = t.source_id
       left join receipts m on t.source in ('receipt', 'reversal')
         and m.receipt_id = coalesce(v.receipt_id, t.source_id)
     where ($1::text is null or $1 in (t.debit_account, t.credit_account))
       and t.moved_at >= coalesce($2::timestamptz, '-infinity')
       and t.moved_at < coalesce($3::timestamptz, 'infinity')
       and ($4::timestamptz is null or (t.moved_at, t.transfer_id) < ($4, $5::uuid))
     order by t.moved_at desc, t.transfer_id desc limit $6`,
    [
      account,
      period?.from ?? null,
      period?.to ?? null,
      before?.movedAt ?? null,
      before?.transferId ?? null,
      limit,
    ],
  );
  return listed.rows;
}

/** A movement of the house's money. */
export interface HouseMovement {
  readonly movedAt: Date;
  readonly debitAccount: string;
  readonly creditAccount: string;
  readonly amountCents: bigint;
}

/** What was posted in a period, whenever the money moved. */
export async function listPosted(
  db: Queryable,
  { from, to }: BookPeriod,
): Promise<HouseMovement[]> {
  const listed = await db.query<HouseMovement>(
    `select moved_at as "movedAt", debit_account as "debitAccount", credit_account as "creditAccount",
       amount_cents as "amountCents"
     from house_transfers where posted_at >= $1 and posted_at < $2
     order by posted_at, transfer_id`,
    [from, to],
  );
  return listed.rows;
}

/** The time of the first posting of the house from then on; undefined: there is none. */
export async function findFirstPosted(db: Queryable, from: Date): Promise<Date | undefined> {
  const found = await db.query<{ first: Date | null }>(
    'select min(posted_at) as first from house_transfers where posted_at >= $1',
    [from],
  );
  return found.rows[0]?.first ?? undefined;
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
 * Sums what vendors' payments have consumed of our float with an operator before an instant, in cents;
 * null: until now.
 */
export async function readConsumed(
  db: Queryable,
  operatorCode: string,
  before: Date | null,
): Promise<bigint> {
  const accounts = [`operator:${operatorCode}`, `receivable:${operatorCode}`];
  const pairs = await readPairs(db, { from: null, to: before }, { vendorId: null, accounts });
  return pairs.reduce((sum, { debitAccount, creditAccount, amountCents }) => {
    const sign = Number(accounts.includes(creditAccount)) - Number(accounts.includes(debitAccount));
    return sum + BigInt(sign) * amountCents;
  }, 0n);
}

/** True once anything is booked about our float with an operator. */
export async function isFloatBooked(db: Queryable, operatorCode: string): Promise<boolean> {
  return (await readFloatBeginning(db, operatorCode)).isBooked;
}

/** The operators whose float is booked, by code. */
export async function listBookedFloats(db: Queryable): Promise<string[]> {
  const listed = await db.query<{ operatorCode: string }>(
    `select distinct substr(account, 16) as "operatorCode"
     from house_transfers t cross join lateral (values (debit_account), (credit_account)) s (account)
     where account like 'operator-float:%' order by 1`,
  );
  return listed.rows.map(({ operatorCode }) => operatorCode);
}

/** Finds codes of accounts that no source of receipts names, and that nobody has added to the chart. */
export async function listUnknownBanks(db: Queryable, codes: readonly string[]): Promise<string[]> {
  const found = await db.query<{ code: string }>(
    `select code from unnest($1::text[]) as u (code)
     where not exists (select from receipt_sources s where s.bank = u.code)
       and not exists (select from house_accounts h where h.account = 'bank:' || u.code)`,
    [codes.filter((code) => !(`bank:${code}` in STANDARD_ACCOUNTS))],
  );
  return found.rows.map(({ code }) => code);
}
