import { newId } from '../../platform/base/ids.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { holdRegistry } from './counters-store.ts';

/**
 * Completes `crn = …`, where $1 is a subject: the subject, and those merged into it. As an array,
 * so that it is evaluated once and indexes on crn are used.
 */
export const MEMBERS_OF_FIRST_PARAMETER = `any(array(
  select $1::bigint union all
  select from_crn from subject_merges where into_crn = $1 and undone_at is null))`;

/** Why two subjects cannot be merged. */
export type MergeProblem = 'no_subject' | 'from_is_merged' | 'into_is_merged' | 'from_has_others';

/** Why the two cannot be merged now, or undefined. */
export async function findMergeProblem(
  db: Queryable,
  { from, into }: { readonly from: bigint; readonly into: bigint },
): Promise<MergeProblem | undefined> {
  const both = [from, into];
  const known = await db.query('select from subjects where crn = any($1::bigint[])', [both]);
  if (known.rowCount !== 2) return 'no_subject';
  const survivors = await readSurvivors(db, both);
  if (survivors.has(from)) return 'from_is_merged';
  if (survivors.has(into)) return 'into_is_merged';
  const others = await db.query(
    'select from subject_merges where into_crn = $1 and undone_at is null',
    [from],
  );
  return others.rowCount === 0 ? undefined : 'from_has_others';
}

/** One subject is answered under another, or that ends. */
export interface MergeChange {
  readonly from: bigint;
  readonly into: bigint;
  readonly reason: string;
  readonly at: Date;
}

/**
 * From now on, the data on file about `from` is answered under `into`; no rows move. Returns why it
 * cannot be done, or undefined. The registry's writers wait until the caller's database transaction
 * ends, so that no import relies on data that a merge is changing.
 */
export async function mergeSubjects(
  client: Queryable,
  merge: MergeChange,
): Promise<MergeProblem | undefined> {
  await holdRegistry(client);
  const problem = await findMergeProblem(client, merge);
  if (problem !== undefined) return problem;
  await client.query(
    `insert into subject_merges (merge_id, from_crn, into_crn, merged_at, reason)
     values ($1, $2, $3, $4, $5)`,
    [newId(), merge.from, merge.into, merge.at, merge.reason],
  );
  return undefined;
}

/** Undoes a merge. Returns false if the subject is not merged into this other one. */
export async function undoMerge(client: Queryable, undone: MergeChange): Promise<boolean> {
  await holdRegistry(client);
  const updated = await client.query(
    `update subject_merges set undone_at = $3, undone_reason = $4
     where from_crn = $1 and into_crn = $2 and undone_at is null`,
    [undone.from, undone.into, undone.at, undone.reason],
  );
  return updated.rowCount === 1;
}

/** Finds the subjects that are merged into another one, and that other subject. */
export async function readSurvivors(
  db: Queryable,
  crns: readonly bigint[],
): Promise<Map<bigint, bigint>> {
  const read = await db.query<{ fromCrn: bigint; intoCrn: bigint }>(
    `select from_crn as "fromCrn", into_crn as "intoCrn" from subject_merges
     where from_crn = any($1::bigint[]) and undone_at is null`,
    [crns],
  );
  return new Map(read.rows.map((row) => [row.fromCrn, row.intoCrn]));
}

/** Subjects that are merged into some of these, by the surviving subject. */
export async function readMerged(
  db: Queryable,
  crns: readonly bigint[],
): Promise<Map<bigint, bigint[]>> {
  const read = await db.query<{ fromCrn: bigint; intoCrn: bigint }>(
    `select from_crn as "fromCrn", into_crn as "intoCrn" from subject_merges
     where into_crn = any($1::bigint[]) and undone_at is null order by from_crn`,
    [crns],
  );
  const merged = new Map<bigint, bigint[]>();
  for (const row of read.rows) {
    merged.set(row.intoCrn, [...(merged.get(row.intoCrn) ?? []), row.fromCrn]);
  }
  return merged;
}

/** The subjects that were merged into this one at the time, and are not any more. */
export async function readMergedOnlyAt(db: Queryable, crn: bigint, at: Date): Promise<bigint[]> {
  const read = await db.query<{ crn: bigint }>(
    `select distinct m.from_crn as crn from subject_merges m
     where m.into_crn = $1 and m.merged_at <= $2 and m.undone_at >= $2
       and not exists (select from subject_merges o where o.from_crn = m.from_crn
         and o.into_crn = $1 and o.undone_at is null)`,
    [crn, at],
  );
  return read.rows.map((row) => row.crn);
}

/** The record of a merge. */
export interface SubjectMerge {
  readonly mergeId: string;
  readonly from: bigint;
  readonly into: bigint;
  readonly mergedAt: Date;
  readonly reason: string;
  readonly undoneAt: Date | null;
  readonly undoneReason: string | null;
}

/** A page of merges, including those that were undone, newest first. @param page.after the page after this one. */
export async function listMerges(
  db: Queryable,
  page: { readonly after?: string | undefined; readonly limit: number },
): Promise<SubjectMerge[]> {
  const read = await db.query<SubjectMerge>(
    `select merge_id as "mergeId", from_crn as "from", into_crn as "into", merged_at as "mergedAt", reason,
       undone_at as "undoneAt", undone_reason as "undoneReason"
     from subject_merges
     where $2::uuid is null or (merged_at, merge_id) <
       ((select merged_at from subject_merges where merge_id = $2), $2)
     order by merged_at desc, merge_id desc limit $1`,
    [page.limit, page.after ?? null],
  );
  return read.rows;
}
