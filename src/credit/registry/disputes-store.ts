import { newId } from '../../platform/base/ids.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { MEMBERS_OF_FIRST_PARAMETER } from './read-merges.ts';
import type { Vault } from './vault.ts';
import { disputeLocation } from './read-disputes.ts';
import type { DisputeOutcome } from './read-disputes.ts';

/**
 * Opens a subject's dispute about an account; until it is closed, no default of the account counts
 * against the subject. Returns its id, or undefined if the subject has no such account, or it is disputed already.
 */
export async function openDispute(
  db: Queryable,
  vault: Vault,
  dispute: {
    readonly crn: bigint;
    readonly accountId: bigint;
    readonly statement: string;
    readonly at: Date;
  },
): Promise<string | undefined> {
  const disputeId = newId();
  const inserted = await db.query(
    `insert into account_disputes (crn, account_id, dispute_id, opened_at, sealed_statement)
     select crn, account_id, $3, $4, $5 from credit_accounts
     where crn = ${MEMBERS_OF_FIRST_PARAMETER} and account_id = $2
     on conflict (crn, account_id) where closed_at is null do nothing`,
    [
      dispute.crn,
      dispute.accountId,
      disputeId,
      dispute.at,
      vault.seal(dispute.statement, disputeLocation(disputeId)),
    ],
  );
  return inserted.rowCount === 1 ? disputeId : undefined;
}

/** Closes a dispute. The lender submits any change of the data as a correction. */
export async function closeDispute(
  db: Queryable,
  disputeId: string,
  outcome: DisputeOutcome,
  at: Date,
): Promise<boolean> {
  const closed = await db.query(
    'update account_disputes set closed_at = $3, outcome = $2 where dispute_id = $1 and closed_at is null',
    [disputeId, outcome, at],
  );
  return closed.rowCount === 1;
}
