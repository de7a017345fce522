import type { Queryable } from '../../platform/db/pool.ts';
import { readAllCards } from '../governance/cards.ts';
import { readScoredPeople } from '../registry/scored-people-store.ts';
import { monitorMonths } from './monitor.ts';
import type { MonthFigures } from './monitor.ts';

/** The figures of the current month and those before it. */
export async function readMonths(
  db: Queryable,
  asked: { readonly months: number; readonly now: Date; readonly timeZone: string },
): Promise<MonthFigures[]> {
  const { now, timeZone, months } = asked;
  const from = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months + 1, 1));
  const [cards, people] = await Promise.all([
    readAllCards(db),
    readScoredPeople(db, { from, until: now, now, timeZone }),
  ]);
  return monitorMonths(people, cards);
}
