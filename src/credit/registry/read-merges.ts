import type { Queryable } from '../../platform/db/pool.ts';

/**
 * Completes `crn = …`, where $1 is a subject: the subject, and those merged into it. As an array,
 * so that it is evaluated once and indexes on crn are used.
 */
export const MEMBERS_OF_FIRST_PARAMETER = `any(array(
  select $1::bigint union all
  select from_crn from subject_merges where into_crn = $1 and undone_at is null))`;

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
