import { newId } from '../../platform/base/ids.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { holdRegistry } from './counters-store.ts';
import { readSurvivors } from './read-merges.ts';

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
