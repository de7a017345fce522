import { bigintArray, byteaArray, keyOf } from '../../platform/db/arrays.ts';
import type { Bytes } from '../../platform/db/arrays.ts';
import type { Queryable } from '../../platform/db/pool.ts';

/** Subjects by document key. */
export async function readOwners(
  db: Queryable,
  indexes: readonly Bytes[],
): Promise<Map<string, bigint[]>> {
  const read = await db.query<{ documentIndex: Buffer; crn: bigint }>(
    `select document_index as "documentIndex", crn from subject_documents
      where document_index = any($1::bytea[]) order by crn`,
    [byteaArray(indexes)],
  );
  const owners = new Map<string, bigint[]>();
  for (const row of read.rows) {
    const key = keyOf(row.documentIndex);
    owners.set(key, [...(owners.get(key) ?? []), row.crn]);
  }
  return owners;
}

export async function readSealedProfiles(
  db: Queryable,
  crns: readonly bigint[],
): Promise<Map<bigint, Buffer>> {
  if (crns.length === 0) return new Map();
  const read = await db.query<{ crn: bigint; sealed: Buffer }>(
    'select crn, sealed from subjects where crn = any($1::bigint[])',
    [bigintArray(crns)],
  );
  return new Map(read.rows.map((row) => [row.crn, row.sealed]));
}

/**
 * The sealed profiles of about `count` subjects from pages chosen at random, of all of them if there
 * are fewer.
 */
export async function readSomeSealedProfiles(
  db: Queryable,
  count: number,
): Promise<{ crn: bigint; sealed: Buffer }[]> {
  const estimate = await db.query<{ subjects: number }>(
    `select reltuples as subjects from pg_class where oid = 'subjects'::regclass`,
  );
  // Negative or 0 before the table is analysed for the first time: then all pages are read.
  const subjects = estimate.rows[0]?.subjects ?? 0;
  const percent = subjects > count ? (100 * count) / subjects : 100;
  const read = await db.query<{ crn: bigint; sealed: Buffer }>(
    'select crn, sealed from subjects tablesample system ($1) limit $2',
    [percent, 2 * count],
  );
  return read.rows;
}

/**
 * `new`: no row has the key; only the holder of the registry's lock can know this. `known`: a row may
 * exist; looking for it costs a third as much as adding it.
 */
export type Rows = 'new' | 'known';

export interface SubjectWrite {
  readonly crn: bigint;
  /** The profile. */
  readonly sealed: Buffer;
}

export async function putSubjects(
  db: Queryable,
  rows: Rows,
  subjects: readonly SubjectWrite[],
  at: Date,
): Promise<void> {
  if (subjects.length === 0) return;
  await db.query(
    `insert into subjects (crn, sealed, created_at, updated_at)
     select crn, sealed, $3, $3 from unnest($1::bigint[], $2::bytea[]) s (crn, sealed)
     ${rows === 'new' ? '' : 'on conflict (crn) do update set sealed = excluded.sealed, updated_at = excluded.updated_at'}`,
    [
      bigintArray(subjects.map(({ crn }) => crn)),
      byteaArray(subjects.map(({ sealed }) => sealed)),
      at,
    ],
  );
}

/** Documents of subjects, as blind indexes. */
export async function addDocuments(
  db: Queryable,
  rows: Rows,
  indexes: readonly { readonly crn: bigint; readonly index: Bytes }[],
): Promise<void> {
  if (indexes.length === 0) return;
  await db.query(
    `insert into subject_documents (document_index, crn)
     select * from unnest($1::bytea[], $2::bigint[])
     ${rows === 'new' ? '' : 'on conflict do nothing'}`,
    [byteaArray(indexes.map(({ index }) => index)), bigintArray(indexes.map(({ crn }) => crn))],
  );
}
