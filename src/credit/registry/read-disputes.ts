import type { Queryable } from '../../platform/db/pool.ts';
import { MEMBERS_OF_FIRST_PARAMETER } from './read-merges.ts';
import type { Vault } from './vault.ts';

/** An open dispute, without the subject's words. */
export interface OpenDispute {
  readonly disputeId: string;
  readonly crn: bigint;
  readonly accountId: bigint;
  readonly lender: string;
  readonly openedAt: Date;
}

const OPEN_DISPUTES = `select d.dispute_id as "disputeId", d.crn, d.account_id as "accountId",
    a.lender, d.opened_at as "openedAt"
  from account_disputes d
  join credit_accounts a on a.crn = d.crn and a.account_id = d.account_id
  where d.closed_at is null`;

export async function findOpenDispute(
  db: Queryable,
  disputeId: string,
): Promise<OpenDispute | undefined> {
  const found = await db.query<OpenDispute>(`${OPEN_DISPUTES} and d.dispute_id = $1`, [disputeId]);
  return found.rows[0];
}

/** True if the account was corrected, or withdrawn, since the dispute was opened. */
export async function isSettled(
  db: Queryable,
  { crn, accountId, openedAt }: Pick<OpenDispute, 'crn' | 'accountId' | 'openedAt'>,
): Promise<boolean> {
  const found = await db.query(
    `select from account_corrections
     where crn = $1 and account_id = $2 and corrected_at >= $3
     union all select from account_withdrawals where crn = $1 and account_id = $2 limit 1`,
    [crn, accountId, openedAt],
  );
  return found.rowCount === 1;
}

/** A page of open disputes, oldest first. */
export async function listOpenDisputes(
  db: Queryable,
  search: {
    /** The page after this dispute. */
    readonly after?: string | undefined;
    readonly limit: number;
  },
): Promise<OpenDispute[]> {
  const listed = await db.query<OpenDispute>(
    `${OPEN_DISPUTES} and ($1::uuid is null or (d.opened_at, d.dispute_id) >
       ((select opened_at from account_disputes where dispute_id = $1), $1))
     order by d.opened_at, d.dispute_id limit $2`,
    [search.after ?? null, search.limit],
  );
  return listed.rows;
}

export interface Dispute {
  readonly disputeId: string;
  readonly accountId: bigint;
  readonly openedAt: Date;
  readonly statement: string;
  readonly outcome: DisputeOutcome | null;
}

/** The open disputes, and the newest of the others, oldest first. */
export async function listDisputes(db: Queryable, vault: Vault, crn: bigint): Promise<Dispute[]> {
  const read = await db.query<{
    disputeId: string;
    accountId: bigint;
    openedAt: Date;
    sealedStatement: Buffer;
    outcome: DisputeOutcome | null;
  }>(
    `select dispute_id as "disputeId", account_id as "accountId", opened_at as "openedAt",
      sealed_statement as "sealedStatement", outcome from account_disputes
     where crn = ${MEMBERS_OF_FIRST_PARAMETER} order by closed_at is null desc, opened_at desc, dispute_id desc limit 1000`,
    [crn],
  );
  const disputes = read.rows.map((row) => ({
    disputeId: row.disputeId,
    accountId: row.accountId,
    openedAt: row.openedAt,
    statement: vault.unseal(row.sealedStatement, disputeLocation(row.disputeId)),
    outcome: row.outcome,
  }));
  return disputes.toSorted((a, b) => a.openedAt.getTime() - b.openedAt.getTime());
}

/** The location that a sealed statement is bound to. */
export function disputeLocation(disputeId: string): string {
  return `account_disputes|${disputeId}`;
}

export type DisputeOutcome = 'upheld' | 'rejected' | 'withdrawn';
