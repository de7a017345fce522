import { newId } from '../../platform/base/ids.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { Day } from './account.ts';
import { holdRegistry } from './counters-store.ts';
import { MEMBERS_OF_FIRST_PARAMETER } from './read-merges.ts';
import { IS_WITHDRAWN } from './read-withdrawals.ts';
import type { AccountRef } from './read-withdrawals.ts';

/**
 * SQL: the sale `e` of the account `a`, if any. Because of the offset, the planner looks each account
 * up by its key and never reads the whole table (decision 23).
 */
export const WITH_SALE = `left join lateral (select e.into_account_id, e.sold_on from account_sales e
  where e.crn = a.crn and e.account_id = a.account_id and e.undone_at is null offset 0) e on true`;

/** A debt of a person that one lender sold to another one. */
export interface SoldDebt {
  readonly crn: bigint;
  /** The seller's account, and the buyer's. */
  readonly from: bigint;
  readonly into: bigint;
  readonly soldOn: Day;
}

/** Why a sale cannot be recorded. */
export type SaleProblem =
  | 'no_account'
  | 'no_buyer'
  | 'same_lender'
  | 'sold_already'
  | 'bought_already'
  | 'order'
  | 'before_opening'
  | 'submitted_before';

interface Party {
  accountId: bigint;
  lender: string;
  wasOpen: boolean;
  wasSubmitted: boolean;
  soldOn: string | null;
  boughtOn: string | null;
}

/** The two lenders, or why the sale cannot be recorded. */
export async function checkSale(
  db: Queryable,
  { crn, from, into, soldOn }: SoldDebt,
): Promise<SaleProblem | { readonly lender: string; readonly buyer: string }> {
  const read = await db.query<Party>(
    `select a.account_id as "accountId", a.lender, a.opened_on <= $3::date as "wasOpen",
       exists (select from account_states s where s.crn = a.crn and s.account_id = a.account_id
         and s.as_of < $3::date) as "wasSubmitted",
       e.sold_on::text as "soldOn",
       (select b.sold_on from account_sales b
         where b.into_account_id = a.account_id and b.undone_at is null)::text as "boughtOn"
     from credit_accounts a ${WITH_SALE}
     where a.crn = ${MEMBERS_OF_FIRST_PARAMETER} and a.account_id = any($2::bigint[])
       and not ${IS_WITHDRAWN} and not a.is_guarantee`,
    [crn, [from, into], soldOn],
  );
  const seller = read.rows.find(({ accountId }) => accountId === from);
  const buyer = read.rows.find(({ accountId }) => accountId === into);
  if (seller === undefined) return 'no_account';
  if (buyer === undefined) return 'no_buyer';
  return problemOf(seller, buyer, soldOn) ?? { lender: seller.lender, buyer: buyer.lender };
}

function problemOf(seller: Party, buyer: Party, soldOn: Day): SaleProblem | undefined {
  if (seller.lender === buyer.lender) return 'same_lender';
  if (seller.soldOn !== null) return 'sold_already';
  if (buyer.boughtOn !== null) return 'bought_already';
  // Each sale of a debt is later than the one before. So no debt can return to an account.
  if (seller.boughtOn !== null && seller.boughtOn >= soldOn) return 'order';
  if (buyer.soldOn !== null && buyer.soldOn <= soldOn) return 'order';
  if (!seller.wasOpen) return 'before_opening';
  return buyer.wasSubmitted ? 'submitted_before' : undefined;
}

/**
 * From the sale on, the debt counts once, under the buyer's account, for good. Returns why it cannot
 * be recorded, or undefined. The registry's writers wait until the caller's database transaction
 * ends, so that no two sales together return a debt to where it came from.
 */
export async function recordSale(
  client: Queryable,
  sale: SoldDebt,
  { reason, at }: { readonly reason: string; readonly at: Date },
): Promise<SaleProblem | undefined> {
  await holdRegistry(client);
  const checked = await checkSale(client, sale);
  if (typeof checked === 'string') return checked;
  await client.query(
    `insert into account_sales (sale_id, crn, account_id, into_account_id, sold_on, recorded_at, reason)
     select $7, crn, account_id, $3, $4::date, $5, $6 from credit_accounts
     where crn = ${MEMBERS_OF_FIRST_PARAMETER} and account_id = $2`,
    [sale.crn, sale.from, sale.into, sale.soldOn, at, reason, newId()],
  );
  return undefined;
}

/** A sale that counts. */
export interface RecordedSale extends Omit<SoldDebt, 'crn'> {
  readonly lender: string;
  /** A dash if the buyer's account is another person's since their merge was undone. */
  readonly buyer: string;
  readonly recordedAt: Date;
}

/** The sale of an account of the person; undefined: it was not sold, or that was undone. */
export async function findSale(
  db: Queryable,
  { crn, accountId }: AccountRef,
): Promise<RecordedSale | undefined> {
  const read = await db.query<RecordedSale>(
    `select e.account_id as "from", e.into_account_id as "into", e.sold_on::text as "soldOn",
       e.recorded_at as "recordedAt", a.lender, coalesce(b.lender, '–') as buyer
     from account_sales e
       join credit_accounts a on a.crn = e.crn and a.account_id = e.account_id
       left join credit_accounts b on b.account_id = e.into_account_id
         and b.crn = ${MEMBERS_OF_FIRST_PARAMETER}
     where e.crn = ${MEMBERS_OF_FIRST_PARAMETER} and e.account_id = $2 and e.undone_at is null`,
    [crn, accountId],
  );
  return read.rows[0];
}

/**
 * There was no such sale: the two accounts count apart again. Returns false if it does not count. The registry's
 * writers wait until the caller's database transaction ends.
 */
export async function undoSale(
  client: Queryable,
  sale: Omit<SoldDebt, 'soldOn'>,
  { reason, at }: { readonly reason: string; readonly at: Date },
): Promise<boolean> {
  await holdRegistry(client);
  const updated = await client.query(
    `update account_sales set undone_at = $4, undone_reason = $5
     where crn = ${MEMBERS_OF_FIRST_PARAMETER} and account_id = $2 and into_account_id = $3
       and undone_at is null`,
    [sale.crn, sale.from, sale.into, at, reason],
  );
  return updated.rowCount === 1;
}
