import type { Queryable } from '../../platform/db/pool.ts';
import { MEMBERS_OF_FIRST_PARAMETER } from './read-merges.ts';

/** An account of a person, whatever reference of the person it is filed under. */
export interface AccountRef {
  readonly crn: bigint;
  readonly accountId: bigint;
}

/**
 * SQL: whether the account `a` was withdrawn. Because of the offset, the planner looks each account
 * up by its key and never reads the whole table (decision 23).
 */
export const IS_WITHDRAWN = `exists (select from account_withdrawals w
  where w.crn = a.crn and w.account_id = a.account_id offset 0)`;

/**
 * The account with what was sold into it, which is the same debt. An account of somebody else is not: a sale between
 * two people who were one until their merge was undone does not count any more.
 */
export async function debtOf(db: Queryable, { crn, accountId }: AccountRef): Promise<AccountRef[]> {
  const debt = await db.query<AccountRef>(
    `with recursive debt as (
       select crn, account_id from credit_accounts
       where crn = ${MEMBERS_OF_FIRST_PARAMETER} and account_id = $2
       union select e.crn, e.account_id from account_sales e
         join debt d on d.account_id = e.into_account_id
         where e.crn = ${MEMBERS_OF_FIRST_PARAMETER} and e.undone_at is null
     )
     select crn, account_id as "accountId" from debt`,
    [crn, accountId],
  );
  return debt.rows;
}

/** The accounts that were sold into it, one after the other, in order of their numbers. */
export async function listBought(db: Queryable, ref: AccountRef): Promise<string[]> {
  const ids = (await debtOf(db, ref)).map(({ accountId }) => accountId);
  return ids
    .filter((id) => id !== ref.accountId)
    .toSorted((a, b) => (a < b ? -1 : 1))
    .map(String);
}

/**
 * The lender of an account that answers may show. Undefined if there is no such account, or if it was
 * sold to the lender of another account of the person.
 */
export async function findCountedAccount(
  db: Queryable,
  { crn, accountId }: AccountRef,
): Promise<string | undefined> {
  const read = await db.query<{ lender: string }>(
    `select a.lender from credit_accounts a
     where a.crn = ${MEMBERS_OF_FIRST_PARAMETER} and a.account_id = $2 and not ${IS_WITHDRAWN}
       and not exists (select from account_sales e
         join credit_accounts b on b.account_id = e.into_account_id
           and b.crn = ${MEMBERS_OF_FIRST_PARAMETER}
         where e.crn = a.crn and e.account_id = a.account_id and e.undone_at is null)`,
    [crn, accountId],
  );
  return read.rows[0]?.lender;
}

export interface Withdrawal {
  readonly crn: bigint;
  readonly accountId: bigint;
  readonly lender: string;
  readonly withdrawnAt: Date;
  readonly reason: string;
}

/** A page of withdrawn accounts, the newest first. @param page.after the page after this account. */
export async function listWithdrawals(
  db: Queryable,
  page: { readonly after?: AccountRef | undefined; readonly limit: number },
): Promise<Withdrawal[]> {
  const read = await db.query<Withdrawal>(
    `select w.crn, w.account_id as "accountId", a.lender, w.withdrawn_at as "withdrawnAt", w.reason
     from account_withdrawals w join credit_accounts a using (crn, account_id)
     where $2::bigint is null or (w.withdrawn_at, w.crn, w.account_id) <
       ((select withdrawn_at from account_withdrawals where crn = $2 and account_id = $3), $2, $3)
     order by w.withdrawn_at desc, w.crn desc, w.account_id desc limit $1`,
    [page.limit, page.after?.crn ?? null, page.after?.accountId ?? null],
  );
  return read.rows;
}

/** Answers about this reference contained an account from one instant until another one. */
export interface ShownSpan {
  readonly crn: bigint;
  readonly from: Date;
  /** Null: until now. */
  readonly until: Date | null;
}

/**
 * When answers could contain an account or what was sold into it: between the first import and the withdrawal,
 * under its own reference, and under each that the person was merged into for as long as the merge lasted.
 */
export async function readShownSpans(db: Queryable, ref: AccountRef): Promise<ShownSpan[]> {
  const debt = await debtOf(db, ref);
  const read = await db.query<ShownSpan>(
    `with shown as (
       select d.crn, w.withdrawn_at as until, (select min(i.started_at) from account_states s
         join credit_imports i on i.import_id = s.import_id
         where s.crn = d.crn and s.account_id = d.account_id) as from_at
       from unnest($1::bigint[], $2::bigint[]) as d (crn, account_id)
         left join account_withdrawals w on w.crn = d.crn and w.account_id = d.account_id
     )
     select crn, from_at as "from", until from shown where from_at is not null
     union all
     select m.into_crn, greatest(from_at, m.merged_at), least(until, m.undone_at)
     from shown join subject_merges m on m.from_crn = crn where from_at is not null`,
    [debt.map(({ crn }) => crn), debt.map(({ accountId }) => accountId)],
  );
  return read.rows;
}

/** Somebody who was answered while the account was part of the answer. */
export interface Recipient {
  readonly askedBy: string;
  readonly answers: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
}

/** Who received an answer with an account. */
export async function listRecipients(
  db: Queryable,
  spans: readonly ShownSpan[],
): Promise<Recipient[]> {
  const read = await db.query<{ askedBy: string; answers: bigint; firstAt: Date; lastAt: Date }>(
    `select e.asked_by as "askedBy", count(distinct e.enquiry_id) as answers,
       min(e.enquired_at) as "firstAt", max(e.enquired_at) as "lastAt"
     from unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[]) as s (crn, from_at, until)
       join subject_enquiries e on e.crn = s.crn and e.enquired_at >= s.from_at
         and e.enquired_at <= coalesce(s.until, 'infinity')
     group by e.asked_by order by e.asked_by`,
    columnsOf(spans),
  );
  return read.rows.map((row) => ({ ...row, answers: Number(row.answers) }));
}

/** The spans as parameters of `unnest`. */
export function columnsOf(spans: readonly ShownSpan[]): unknown[] {
  return [
    spans.map(({ crn }) => crn),
    spans.map(({ from }) => from),
    spans.map(({ until }) => until),
  ];
}
