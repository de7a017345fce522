import type { Queryable } from '../../platform/db/pool.ts';
import { STANDARD_ACCOUNTS } from './standard-accounts.ts';

/** An account that two people added. Its id is that of its proposal. */
export interface AddedAccount {
  readonly accountId: string;
  readonly account: string;
  readonly title: string;
  readonly proposedBy: string;
  readonly decidedBy: string;
  readonly at: Date;
}

export async function insertOwnAccount(db: Queryable, added: AddedAccount): Promise<void> {
  const { accountId, account, title, proposedBy, decidedBy, at } = added;
  await db.query(
    `insert into house_accounts (account_id, account, title, proposed_by, decided_by, added_at)
     values ($1, $2, $3, $4, $5, $6)`,
    [accountId, account, title, proposedBy, decidedBy, at],
  );
}

export async function listAdded(
  db: Queryable,
): Promise<
  { account: string; title: string; addedAt: Date; proposedBy: string; decidedBy: string }[]
> {
  const listed = await db.query<{
    account: string;
    title: string;
    addedAt: Date;
    proposedBy: string;
    decidedBy: string;
  }>(
    `select account, title, added_at as "addedAt", proposed_by as "proposedBy",
       decided_by as "decidedBy"
     from house_accounts`,
  );
  return listed.rows;
}

/** Finds the accounts that nobody has added and that no installation has. */
export async function listUnknownAccounts(
  db: Queryable,
  accounts: readonly string[],
): Promise<string[]> {
  const found = await db.query<{ account: string }>(
    `select account from unnest($1::text[]) as u (account)
     where not exists (select from house_accounts h where h.account = u.account)`,
    [accounts.filter((account) => !(account in STANDARD_ACCOUNTS))],
  );
  return found.rows.map(({ account }) => account);
}
