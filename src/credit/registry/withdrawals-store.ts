import type { Queryable } from '../../platform/db/pool.ts';
import { MEMBERS_OF_FIRST_PARAMETER } from './merges-store.ts';

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
 * Takes an account out of every answer and score, for good; with it what was sold into it, which is
 * the same debt. Returns false if the person has no such account, or it is withdrawn already.
 */
export async function withdrawAccount(
  db: Queryable,
  { crn, accountId }: AccountRef,
  { reason, at }: { readonly reason: string; readonly at: Date },
): Promise<boolean> {
  // In two statements: Citus does not insert what a recursive query finds.
  const debt = await db.query<AccountRef>(
    `with recursive debt as (
       select crn, account_id from credit_accounts
       where crn = ${MEMBERS_OF_FIRST_PARAMETER} and account_id = $2
       union select e.crn, e.account_id from account_sales e
         join debt d on d.account_id = e.into_account_id
     )
     select crn, account_id as "accountId" from debt`,
    [crn, accountId],
  );
  const inserted = await db.query(
    `insert into account_withdrawals (crn, account_id, withdrawn_at, reason)
     select crn, account_id, $3, $4 from unnest($1::bigint[], $2::bigint[]) as d (crn, account_id)
     on conflict do nothing`,
    [debt.rows.map((row) => row.crn), debt.rows.map((row) => row.accountId), at, reason],
  );
  return (inserted.rowCount ?? 0) > 0;
}

/**
 * The lender of an account that answers may contain by itself; undefined if there is none, or it was
 * sold.
 */
export async function findCountedAccount(
  db: Queryable,
  { crn, accountId }: AccountRef,
): Promise<string | undefined> {
  const read = await db.query<{ lender: string }>(
    `select a.lender from credit_accounts a
     where a.crn = ${MEMBERS_OF_FIRST_PARAMETER} and a.account_id = $2 and not ${IS_WITHDRAWN}
       and not exists (select from account_sales e
         where e.crn = a.crn and e.account_id = a.account_id)`,
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

/** Withdrawn accounts, the newest first. */
export async function listWithdrawals(db: Queryable, limit: number): Promise<Withdrawal[]> {
  const read = await db.query<Withdrawal>(
    `select w.crn, w.account_id as "accountId", a.lender, w.withdrawn_at as "withdrawnAt", w.reason
     from account_withdrawals w join credit_accounts a using (crn, account_id)
     order by w.withdrawn_at desc, w.crn, w.account_id limit $1`,
    [limit],
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

/**
 * Who received an answer with an account: everybody who asked about the person between the first
 * import of the account and its withdrawal, or now.
 */
export async function listRecipients(
  db: Queryable,
  { crn, accountId }: AccountRef,
): Promise<Recipient[]> {
  const read = await db.query<{ askedBy: string; answers: bigint; firstAt: Date; lastAt: Date }>(
    `select e.asked_by as "askedBy", count(*) as answers, min(e.enquired_at) as "firstAt",
       max(e.enquired_at) as "lastAt"
     from subject_enquiries e
     where e.crn = ${MEMBERS_OF_FIRST_PARAMETER}
       and e.enquired_at >= (select min(i.started_at) from account_states s
         join credit_imports i on i.import_id = s.import_id
         where s.crn = ${MEMBERS_OF_FIRST_PARAMETER} and s.account_id = $2)
       and e.enquired_at <= coalesce((select max(w.withdrawn_at) from account_withdrawals w
         where w.crn = ${MEMBERS_OF_FIRST_PARAMETER} and w.account_id = $2), 'infinity')
     group by e.asked_by order by e.asked_by`,
    [crn, accountId],
  );
  return read.rows.map((row) => ({ ...row, answers: Number(row.answers) }));
}
