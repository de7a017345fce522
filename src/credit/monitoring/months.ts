import { createWireTime, startOfNamedDay } from '../../platform/base/clock.ts';
import { isoDay } from '../../platform/base/days.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { readAllCards } from '../governance/cards.ts';
import { readScoredPeople } from '../registry/scored-people-store.ts';
import { monitorMonths } from './monitor.ts';
import type { MonthFigures } from './monitor.ts';

interface AskedMonths {
  /** How many, including the current one. */
  readonly months: number;
  readonly now: Date;
  readonly timeZone: string;
}

/** The start of the first of the months, in the time zone. */
export function startOfMonths({ months, now, timeZone }: AskedMonths): Date {
  const wireTime = createWireTime(timeZone);
  const [year, month] = wireTime.format(now).split('-').map(Number);
  const first = isoDay(new Date(Date.UTC(year ?? 0, (month ?? 1) - months, 1)));
  return startOfNamedDay(first, wireTime) ?? now;
}

/** The figures of the current month and those before it. */
export async function readMonths(db: Queryable, asked: AskedMonths): Promise<MonthFigures[]> {
  const { now, timeZone } = asked;
  const from = startOfMonths(asked);
  const [cards, people] = await Promise.all([
    readAllCards(db),
    readScoredPeople(db, { from, until: now, now, timeZone }),
  ]);
  return monitorMonths(people, cards);
}
