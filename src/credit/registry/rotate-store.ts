import type { Queryable } from '../../platform/db/pool.ts';
import { accountLocation } from './account.ts';
import { holdRegistry } from './counters-store.ts';
import { disputeLocation } from './read-disputes.ts';
import { subjectLocation } from './profile.ts';
import type { Profile } from './profile.ts';
import { PAGE_ROWS, pageOf, resealed } from './rotation.ts';
import type { Page, Position } from './rotation.ts';
import type { Vault } from './vault.ts';

/** The next page of subjects: profiles and the blind indexes of documents. */
export async function rotateSubjects(db: Queryable, vault: Vault, after?: Position): Promise<Page> {
  await holdRegistry(db);
  const read = await db.query<{ crn: bigint; sealed: Buffer }>(
    `select crn, sealed from subjects where crn > $1 order by crn limit ${PAGE_ROWS}`,
    after ?? [0],
  );
  let changed = 0;
  for (const { crn, sealed } of read.rows) {
    const text = vault.unseal(sealed, subjectLocation(crn));
    const profile = JSON.parse(text) as Profile;
    const reindexed = await reindex(db, vault, crn, profile);
    const isSealedFormer = vault.isFormer(sealed, 'sealed');
    if (isSealedFormer) {
      await db.query('update subjects set sealed = $2 where crn = $1', [
        crn,
        vault.seal(text, subjectLocation(crn)),
      ]);
    }
    if (reindexed || isSealedFormer) changed += 1;
  }
  return pageOf(read.rows, changed, ({ crn }) => [crn]);
}

/**
 * Replaces blind indexes of a subject's documents: inserts the current ones, deletes the former
 * ones.
 */
async function reindex(
  db: Queryable,
  vault: Vault,
  crn: bigint,
  profile: Profile,
): Promise<boolean> {
  const all = profile.documents.map(({ type, number }) =>
    vault.indexes('document', `${type}|${number}`),
  );
  const current = all.flatMap((indexes) => indexes.slice(0, 1));
  const former = all.flatMap((indexes) => indexes.slice(1));
  if (former.length === 0) return false;
  const removed = await db.query(
    'delete from subject_documents where crn = $1 and document_index = any($2::bytea[])',
    [crn, former],
  );
  if (removed.rowCount === 0) return false;
  await db.query(
    `insert into subject_documents (document_index, crn)
     select unnest($2::bytea[]), $1 on conflict do nothing`,
    [crn, current],
  );
  return true;
}

/** The next page of accounts: account numbers and their blind indexes. */
export async function rotateAccounts(db: Queryable, vault: Vault, after?: Position): Promise<Page> {
  await holdRegistry(db);
  const read = await db.query<{
    crn: bigint;
    accountId: bigint;
    lender: string;
    accountIndex: Buffer;
    sealed: Buffer;
  }>(
    `select crn, account_id as "accountId", lender, account_index as "accountIndex", sealed
      from credit_accounts
     where (crn, account_id) > ($1, $2) order by crn, account_id limit ${PAGE_ROWS}`,
    after ?? [0, 0],
  );
  const former = read.rows
    .filter(
      (row) => vault.isFormer(row.sealed, 'sealed') || vault.isFormer(row.accountIndex, 'index'),
    )
    .map((row) => {
      const location = accountLocation(row.crn);
      const text = vault.unseal(row.sealed, location);
      const { accountNumber } = JSON.parse(text) as { accountNumber: string };
      return {
        ...row,
        accountIndex: vault.index('account', `${row.lender}|${accountNumber}`),
        sealed: vault.isFormer(row.sealed, 'sealed') ? vault.seal(text, location) : row.sealed,
      };
    });
  await db.query(
    `update credit_accounts a set account_index = r.account_index, sealed = r.sealed
     from unnest($1::bigint[], $2::bigint[], $3::bytea[], $4::bytea[])
       as r (crn, account_id, account_index, sealed)
     where a.crn = r.crn and a.account_id = r.account_id`,
    [
      former.map((row) => row.crn),
      former.map((row) => row.accountId),
      former.map((row) => row.accountIndex),
      former.map((row) => row.sealed),
    ],
  );
  return pageOf(read.rows, former.length, (row) => [row.crn, row.accountId]);
}

/** The next page of disputes: statements. */
export async function rotateDisputes(db: Queryable, vault: Vault, after?: Position): Promise<Page> {
  const read = await db.query<{ disputeId: string; crn: bigint; sealedStatement: Buffer }>(
    `select dispute_id as "disputeId", crn, sealed_statement as "sealedStatement"
      from account_disputes
     where dispute_id > $1 order by dispute_id limit ${PAGE_ROWS}`,
    after ?? ['00000000-0000-0000-0000-000000000000'],
  );
  const former = read.rows.filter((row) => vault.isFormer(row.sealedStatement, 'sealed'));
  await db.query(
    `update account_disputes d set sealed_statement = r.sealed_statement
     from unnest($1::uuid[], $2::bytea[]) as r (dispute_id, sealed_statement)
     where d.dispute_id = r.dispute_id`,
    [
      former.map((row) => row.disputeId),
      former.map((row) => resealed(vault, row.sealedStatement, disputeLocation(row.disputeId))),
    ],
  );
  return pageOf(read.rows, former.length, (row) => [row.disputeId]);
}
