import { databaseTransaction } from '../../platform/db/pool.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import { disputeLocation } from '../registry/disputes-store.ts';
import { answerLocation } from '../bureaus/upstream-store.ts';
import { payloadLocation } from '../enquiries/record.ts';
import { subjectLocation } from '../registry/profile.ts';
import type { Profile } from '../registry/profile.ts';
import type { Vault } from '../registry/vault.ts';

const PAGE_ROWS = 500;

export interface Rotated {
  readonly subjects: number;
  readonly accounts: number;
  readonly disputes: number;
  readonly enquiries: number;
  /** Kept answers of upstream bureaus. */
  readonly answers: number;
}

/**
 * Rewrites everything under a former key with the current ones: sealed fields and blind indexes.
 * Runs beside the service (which needs both keys), in pages of one commit each; what was done stays
 * done, and a repeat goes on. Documents of kept enquiries stay as they were recorded.
 */
export async function rotateKeys(
  pool: Pool,
  vault: Vault,
  onProgress: (done: Rotated) => void = () => {},
): Promise<Rotated> {
  const done = { subjects: 0, accounts: 0, disputes: 0, enquiries: 0, answers: 0 };
  const steps = [
    ['subjects', rotateSubjects],
    ['accounts', rotateAccounts],
    ['disputes', rotateDisputes],
    ['enquiries', rotateEnquiries],
    ['answers', rotateUpstreamAnswers],
  ] as const;
  for (const [name, rotatePage] of steps) {
    let after: Position | undefined;
    do {
      const from: Position | undefined = after;
      const page = await databaseTransaction(pool, (client) => rotatePage(client, vault, from));
      done[name] += page.changed;
      after = page.last;
      onProgress(done);
    } while (after !== undefined);
  }
  return done;
}

/** Key of the last row of a page. */
type Position = readonly (string | number | bigint)[];

interface Page {
  readonly changed: number;
  /** Undefined when there is no further page. */
  readonly last: Position | undefined;
}

function pageOf<Row>(
  rows: readonly Row[],
  changed: number,
  positionOf: (row: Row) => Position,
): Page {
  const last = rows.at(-1);
  const more = rows.length === PAGE_ROWS && last !== undefined;
  return { changed, last: more ? positionOf(last) : undefined };
}

async function rotateSubjects(db: Queryable, vault: Vault, after?: Position): Promise<Page> {
  // The registry's lock: an import must not write what is being rewritten.
  await db.query('select 1 from credit_registry for update');
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

/** Blind indexes of a subject's documents: the current ones in, the former ones out. */
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

async function rotateAccounts(db: Queryable, vault: Vault, after?: Position): Promise<Page> {
  await db.query('select 1 from credit_registry for update');
  const read = await db.query<{
    crn: bigint;
    account_id: bigint;
    lender: string;
    account_index: Buffer;
    sealed: Buffer;
  }>(
    `select crn, account_id, lender, account_index, sealed from credit_accounts
     where (crn, account_id) > ($1, $2) order by crn, account_id limit ${PAGE_ROWS}`,
    after ?? [0, 0],
  );
  let changed = 0;
  for (const row of read.rows) {
    const isSealedFormer = vault.isFormer(row.sealed, 'sealed');
    if (!isSealedFormer && !vault.isFormer(row.account_index, 'index')) continue;
    const location = `credit_accounts|${row.crn}`;
    const text = vault.unseal(row.sealed, location);
    const { accountNumber } = JSON.parse(text) as { accountNumber: string };
    await db.query(
      'update credit_accounts set account_index = $3, sealed = $4 where crn = $1 and account_id = $2',
      [
        row.crn,
        row.account_id,
        vault.index('account', `${row.lender}|${accountNumber}`),
        isSealedFormer ? vault.seal(text, location) : row.sealed,
      ],
    );
    changed += 1;
  }
  return pageOf(read.rows, changed, (row) => [row.crn, row.account_id]);
}

async function rotateDisputes(db: Queryable, vault: Vault, after?: Position): Promise<Page> {
  const read = await db.query<{ dispute_id: string; crn: bigint; sealed_statement: Buffer }>(
    `select dispute_id, crn, sealed_statement from account_disputes
     where dispute_id > $1 order by dispute_id limit ${PAGE_ROWS}`,
    after ?? ['00000000-0000-0000-0000-000000000000'],
  );
  let changed = 0;
  for (const row of read.rows) {
    if (!vault.isFormer(row.sealed_statement, 'sealed')) continue;
    const location = disputeLocation(row.dispute_id);
    const text = vault.unseal(row.sealed_statement, location);
    await db.query('update account_disputes set sealed_statement = $2 where dispute_id = $1', [
      row.dispute_id,
      vault.seal(text, location),
    ]);
    changed += 1;
  }
  return pageOf(read.rows, changed, (row) => [row.dispute_id]);
}

async function rotateEnquiries(db: Queryable, vault: Vault, after?: Position): Promise<Page> {
  const read = await db.query<{
    vendor_id: number;
    sequence: bigint;
    enquiry_id: string;
    sealed_payload: Buffer | null;
  }>(
    `select vendor_id, sequence, enquiry_id, sealed_payload from enquiries
     where (vendor_id, sequence) > ($1, $2) order by vendor_id, sequence limit ${PAGE_ROWS}`,
    after ?? [0, 0],
  );
  let changed = 0;
  for (const row of read.rows) {
    if (row.sealed_payload === null || !vault.isFormer(row.sealed_payload, 'sealed')) continue;
    const location = payloadLocation(row.vendor_id, row.enquiry_id);
    const text = vault.unseal(row.sealed_payload, location);
    await db.query(
      // Retention may have erased it meanwhile: what is erased stays so.
      `update enquiries set sealed_payload = $3
       where vendor_id = $1 and sequence = $2 and sealed_payload is not null`,
      [row.vendor_id, row.sequence, vault.seal(text, location)],
    );
    changed += 1;
  }
  return pageOf(read.rows, changed, (row) => [row.vendor_id, row.sequence]);
}

async function rotateUpstreamAnswers(db: Queryable, vault: Vault, after?: Position): Promise<Page> {
  const read = await db.query<{
    vendor_id: number;
    request_reference: string;
    call_id: string;
    sealed_answer: Buffer;
  }>(
    `select vendor_id, request_reference, call_id, sealed_answer from upstream_calls
     where (vendor_id, request_reference, call_id) > ($1, $2, $3) and sealed_answer is not null
     order by vendor_id, request_reference, call_id limit ${PAGE_ROWS}`,
    after ?? [0, '', '00000000-0000-0000-0000-000000000000'],
  );
  let changed = 0;
  for (const row of read.rows) {
    if (!vault.isFormer(row.sealed_answer, 'sealed')) continue;
    const location = answerLocation(row.call_id);
    const text = vault.unseal(row.sealed_answer, location);
    await db.query(
      `update upstream_calls set sealed_answer = $4
       where vendor_id = $1 and request_reference = $2 and call_id = $3
         and sealed_answer is not null`,
      [row.vendor_id, row.request_reference, row.call_id, vault.seal(text, location)],
    );
    changed += 1;
  }
  return pageOf(read.rows, changed, (row) => [row.vendor_id, row.request_reference, row.call_id]);
}
