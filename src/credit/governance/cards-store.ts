import { newId } from '../../platform/base/ids.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { jsonText } from '../../platform/base/proposal.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import { changeSettings } from '../../platform/db/settings-watch.ts';
import { shippedCards } from '../scorecards/score.ts';
import { cardName, checkScorecard } from '../scorecards/scorecard.ts';
import type { Scorecard, ScoreKind } from '../scorecards/scorecard.ts';

/** Cards in the database, by name. Throws: `ScorecardError`. */
export async function readStoredCards(db: Queryable): Promise<Scorecard[]> {
  const read = await db.query<{ card: string; body: unknown }>(
    'select card, body from scorecards order by card',
  );
  return read.rows.map(({ card, body }) => checkScorecard(body, `Card ${card} of the database`));
}

/**
 * Adds a card. The same card may be added again.
 * Throws: `PlainError` if another card of this name exists, in the database or as a file that is shipped.
 */
export async function addCard(pool: Pool, card: Scorecard, now: Date): Promise<void> {
  const values = [cardName(card), JSON.stringify(card)];
  const shipped = shippedCards().find((one) => cardName(one) === cardName(card));
  const isShippedOne = shipped === undefined || jsonText(shipped) === jsonText(card);
  await changeSettings(pool, 'scorecards', async (client) => {
    const added = await client.query(
      `insert into scorecards (card, body, kind, added_at) values ($1, $2::jsonb, $3, $4)
       on conflict (card) do nothing`,
      [...values, card.kind, now],
    );
    const read = await client.query<{ same: boolean }>(
      'select body = $2::jsonb as same from scorecards where card = $1',
      values,
    );
    // A shipped file may be newer than a card that was stored under its name before.
    if (read.rows[0]?.same === true && (isShippedOne || added.rowCount === 0)) return;
    throw new PlainError(
      `${cardName(card)} exists with other content. Enquiries name their card: give the new one another version.`,
    );
  });
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
