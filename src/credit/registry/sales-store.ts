import type { Queryable } from '../../platform/db/pool.ts';
import type { Day } from './account.ts';
import { holdRegistry } from './counters-store.ts';
import { MEMBERS_OF_FIRST_PARAMETER } from './merges-store.ts';
import { IS_WITHDRAWN } from './withdrawals-store.ts';

/**
 * SQL: the sale `e` of the account `a`, if any. Because of the offset, the planner looks each account
 * up by its key and never reads the whole table (decision 23).
 */
export const WITH_SALE = `left join lateral (select e.into_account_id, e.sold_on from account_sales e
  where e.crn = a.crn and e.account_id = a.account_id offset 0) e on true`;

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
         where b.into_account_id = a.account_id)::text as "boughtOn"
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
    `insert into account_sales (crn, account_id, into_account_id, sold_on, recorded_at, reason)
     select crn, account_id, $3, $4::date, $5, $6 from credit_accounts
     where crn = ${MEMBERS_OF_FIRST_PARAMETER} and account_id = $2`,
    [sale.crn, sale.from, sale.into, sale.soldOn, at, reason],
  );
  return undefined;
}
