import { newId } from '../../platform/base/ids.ts';
import { databaseTransaction } from '../../platform/db/pool.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
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

/**
 * From now on, the data on file about `from` is answered under `into`; no rows move. Returns why it
 * cannot be done, or undefined.
 */
export async function mergeSubjects(
  pool: Pool,
  merge: {
    readonly from: bigint;
    readonly into: bigint;
    readonly reason: string;
    readonly at: Date;
  },
): Promise<MergeProblem | undefined> {
  return await databaseTransaction(pool, async (client) => {
    // The registry's writers take turns, so that no import relies on data that a merge is changing.
    await holdRegistry(client);
    const both = [merge.from, merge.into];
    const known = await client.query('select from subjects where crn = any($1::bigint[])', [both]);
    if (known.rowCount !== 2) return 'no_subject';
    const survivors = await readSurvivors(client, both);
    if (survivors.has(merge.from)) return 'from_is_merged';
    if (survivors.has(merge.into)) return 'into_is_merged';
    const others = await client.query(
      'select from subject_merges where into_crn = $1 and undone_at is null',
      [merge.from],
    );
    if (others.rowCount !== 0) return 'from_has_others';
    await client.query(
      `insert into subject_merges (merge_id, from_crn, into_crn, merged_at, reason)
       values ($1, $2, $3, $4, $5)`,
      [newId(), merge.from, merge.into, merge.at, merge.reason],
    );
    return undefined;
  });
}

/** Undoes a merge. Returns false if the subject is not merged into another. */
export async function undoMerge(
  pool: Pool,
  undone: { readonly from: bigint; readonly reason: string; readonly at: Date },
): Promise<boolean> {
  return await databaseTransaction(pool, async (client) => {
    await holdRegistry(client);
    const updated = await client.query(
      `update subject_merges set undone_at = $2, undone_reason = $3
       where from_crn = $1 and undone_at is null`,
      [undone.from, undone.at, undone.reason],
    );
    return updated.rowCount === 1;
  });
}

/** Those of the subjects that are merged into another, with that other subject. */
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

/** The record of a merge. */
export interface SubjectMerge {
  readonly from: bigint;
  readonly into: bigint;
  readonly mergedAt: Date;
  readonly reason: string;
  readonly undoneAt: Date | null;
  readonly undoneReason: string | null;
}

/** Merges, including those that were undone, newest first. */
export async function listMerges(db: Queryable, limit: number): Promise<SubjectMerge[]> {
  const read = await db.query<{
    fromCrn: bigint;
    intoCrn: bigint;
    mergedAt: Date;
    reason: string;
    undoneAt: Date | null;
    undoneReason: string | null;
  }>(
    `select from_crn as "fromCrn", into_crn as "intoCrn", merged_at as "mergedAt", reason,
       undone_at as "undoneAt", undone_reason as "undoneReason"
     from subject_merges order by merged_at desc, merge_id desc limit $1`,
    [limit],
  );
  return read.rows.map((row) => ({
    from: row.fromCrn,
    into: row.intoCrn,
    mergedAt: row.mergedAt,
    reason: row.reason,
    undoneAt: row.undoneAt,
    undoneReason: row.undoneReason,
  }));
}
