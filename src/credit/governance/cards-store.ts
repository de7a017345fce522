import { newId } from '../../platform/base/ids.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { cardName } from '../scorecards/scorecard.ts';
import type { Scorecard, ScoreKind } from '../scorecards/scorecard.ts';
import { readAssignments } from './read-cards.ts';

/** Stores a card unless one of its name is stored. Returns whether it was added, and whether the stored one is the same. */
export async function insertCard(
  client: Queryable,
  card: Scorecard,
  now: Date,
): Promise<{ readonly isAdded: boolean; readonly isSame: boolean }> {
  const values = [cardName(card), JSON.stringify(card)];
  const added = await client.query(
    `insert into scorecards (card, body, kind, added_at) values ($1, $2::jsonb, $3, $4)
     on conflict (card) do nothing`,
    [...values, card.kind, now],
  );
  const read = await client.query<{ same: boolean }>(
    'select body = $2::jsonb as same from scorecards where card = $1',
    values,
  );
  return { isAdded: added.rowCount === 1, isSame: read.rows[0]?.same === true };
}

/**
 * Changes champion or challenger of a kind; what is not given stays. The caller's database
 * transaction marks the topic `scorecards` before.
 */
export async function assignCards(
  client: Queryable,
  change: {
    readonly kind: ScoreKind;
    readonly champion?: string | null;
    readonly challenger?: string | null;
    readonly reason: string;
  },
  now: Date,
): Promise<void> {
  const before = (await readAssignments(client)).find(({ kind }) => kind === change.kind);
  const { kind, reason } = change;
  const champion = change.champion === undefined ? (before?.champion ?? null) : change.champion;
  const challenger =
    change.challenger === undefined ? (before?.challenger ?? null) : change.challenger;
  await client.query(
    `insert into scorecard_changes (change_id, changed_at, kind, champion, challenger, reason)
     select $1::uuid, greatest($2, max(changed_at) + interval '1 microsecond'), $3::text, $4::text,
       $5::text, $6::text
     from scorecard_changes where kind = $3`,
    [newId(), now, kind, champion, challenger, reason],
  );
}
