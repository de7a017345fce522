import type { Queryable } from '../../platform/db/pool.ts';
import type { ScoreKind } from '../scorecards/scorecard.ts';

/** Reads each card's first stored month with at least so many people. */
export async function readFirstMonths(
  db: Queryable,
  cards: readonly string[],
  minPeople: number,
): Promise<string[]> {
  const read = await db.query<{ month: string }>(
    `select distinct min(month) as month from scorecard_months
     where card = any ($1) and people >= $2 group by card order by 1`,
    [cards, minPeople],
  );
  return read.rows.map(({ month }) => month);
}

export interface NewestFigures {
  readonly kind: ScoreKind;
  readonly card: string;
  readonly role: 'champion' | 'challenger';
  readonly people: number;
  readonly stabilityIndex: number | null;
  /** Taken from the newest month in which people's outcomes are known. */
  readonly predicted: number | null;
  readonly observed: number | null;
}

/** The newest figures of each card and role. */
export async function readNewestFigures(db: Queryable): Promise<NewestFigures[]> {
  const read = await db.query<NewestFigures>(
    `select distinct on (m.kind, m.role, m.card) m.kind, m.card, m.role, m.people,
       m.stability_index as "stabilityIndex", known.predicted, known.observed
     from scorecard_months m left join lateral (
       select k.predicted, k.observed from scorecard_months k
       where k.kind = m.kind and k.card = m.card and k.role = m.role and k.observed is not null
       order by k.month desc limit 1) known on true
     order by m.kind, m.role, m.card, m.month desc`,
  );
  return read.rows;
}

/** The figures of a card in a month, as last measured. */
export interface KeptMonth extends NewestFigures {
  readonly month: string;
  readonly measuredAt: Date;
}

/** Newest month first, then by kind, role and card. */
export async function readKeptMonths(db: Queryable, limit: number): Promise<KeptMonth[]> {
  const read = await db.query<KeptMonth>(
    `select month, measured_at as "measuredAt", kind, card, role, people,
       stability_index as "stabilityIndex", predicted, observed
     from scorecard_months order by month desc, kind, role, card limit $1`,
    [limit],
  );
  return read.rows;
}
