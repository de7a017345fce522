import type { Queryable } from '../../platform/db/pool.ts';
import { accountLocation } from './account.ts';
import { holdRegistry } from './counters-store.ts';
import { disputeLocation } from './disputes-store.ts';
import { subjectLocation } from './profile.ts';
import type { Profile } from './profile.ts';
import { PAGE_ROWS, pageOf } from './rotation.ts';
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
    const resealed = vault.isFormer(sealed, 'sealed');
    if (resealed) {
      await db.query('update subjects set sealed = $2 where crn = $1', [
        crn,
        vault.seal(text, subjectLocation(crn)),
      ]);
    }
    if (reindexed || resealed) changed += 1;
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

/** The next page of accounts: their numbers and the blind indexes of these. */
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
  let changed = 0;
  for (const row of read.rows) {
    const isSealedFormer = vault.isFormer(row.sealed, 'sealed');
    if (!isSealedFormer && !vault.isFormer(row.accountIndex, 'index')) continue;
    const location = accountLocation(row.crn);
    const text = vault.unseal(row.sealed, location);
    const { accountNumber } = JSON.parse(text) as { accountNumber: string };
    await db.query(
      'update credit_accounts set account_index = $3, sealed = $4 where crn = $1 and account_id = $2',
      [
        row.crn,
        row.accountId,
        vault.index('account', `${row.lender}|${accountNumber}`),
        isSealedFormer ? vault.seal(text, location) : row.sealed,
      ],
    );
    changed += 1;
  }
  return pageOf(read.rows, changed, (row) => [row.crn, row.accountId]);
}

/** The next page of disputes: statements. */
export async function rotateDisputes(db: Queryable, vault: Vault, after?: Position): Promise<Page> {
  const read = await db.query<{ disputeId: string; crn: bigint; sealedStatement: Buffer }>(
    `select dispute_id as "disputeId", crn, sealed_statement as "sealedStatement"
      from account_disputes
     where dispute_id > $1 order by dispute_id limit ${PAGE_ROWS}`,
    after ?? ['00000000-0000-0000-0000-000000000000'],
  );
  let changed = 0;
  for (const row of read.rows) {
    if (!vault.isFormer(row.sealedStatement, 'sealed')) continue;
    const location = disputeLocation(row.disputeId);
    const text = vault.unseal(row.sealedStatement, location);
    await db.query('update account_disputes set sealed_statement = $2 where dispute_id = $1', [
      row.disputeId,
      vault.seal(text, location),
    ]);
    changed += 1;
  }
  return pageOf(read.rows, changed, (row) => [row.disputeId]);
}
