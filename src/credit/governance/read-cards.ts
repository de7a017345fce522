import type { Queryable } from '../../platform/db/pool.ts';
import { checkScorecard } from '../scorecards/scorecard.ts';
import type { Scorecard, ScoreKind } from '../scorecards/scorecard.ts';

/** Cards in the database, by name. Throws: `ScorecardError`. */
export async function readStoredCards(db: Queryable): Promise<Scorecard[]> {
  const read = await db.query<{ card: string; body: unknown }>(
    'select card, body from scorecards order by card',
  );
  return read.rows.map(({ card, body }) => checkScorecard(body, `Card ${card} of the database`));
}

/** Which cards of a kind are in force since then; null: the highest version of the folder, or none. */
export interface CardChange {
  readonly kind: ScoreKind;
  readonly champion: string | null;
  readonly challenger: string | null;
  readonly reason: string;
  readonly changedAt: Date;
}

/** A page of changes, newest first. @param page.after the page after this change. */
export async function listCardChanges(
  db: Queryable,
  page: { readonly after?: string | undefined; readonly limit: number },
): Promise<(CardChange & { readonly changeId: string })[]> {
  const read = await db.query<CardChange & { readonly changeId: string }>(
    `select change_id as "changeId", kind, champion, challenger, reason, changed_at as "changedAt"
     from scorecard_changes
     where $2::uuid is null or (changed_at, change_id) <
       ((select changed_at from scorecard_changes where change_id = $2), $2)
     order by changed_at desc, change_id desc limit $1`,
    [page.limit, page.after ?? null],
  );
  return read.rows;
}

/** The newest change of each kind. */
export async function readAssignments(db: Queryable): Promise<CardChange[]> {
  const read = await db.query<CardChange>(
    `select distinct on (kind) kind, champion, challenger, reason, changed_at as "changedAt"
     from scorecard_changes order by kind, changed_at desc, change_id desc`,
  );
  return read.rows;
}
