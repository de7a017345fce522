import { createWireTime, periodOfMonth, startOfNamedDay } from '../../platform/base/clock.ts';
import { isoDay } from '../../platform/base/days.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { readAllCards } from '../governance/cards.ts';
import { readScoredPeople } from '../registry/scored-people-store.ts';
import type { ScoredPeople } from '../registry/scored-people-store.ts';
import { MIN_PEOPLE, monitorMonths } from './monitor.ts';
import type { MonthFigures } from './monitor.ts';
import { readFirstMonths } from './read-months.ts';

interface AskedMonths {
  /** Number of months, including the current one. */
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
  const first = createWireTime(timeZone).format(from).slice(0, 'YYYY-MM'.length);
  const others = people.filter(({ card }) => cards.get(card)?.reference === undefined);
  const names = [...new Set(others.map(({ card }) => card))];
  const months = (await readFirstMonths(db, names, MIN_PEOPLE)).filter((month) => month < first);
  const before = await readPeopleOf(db, months, asked);
  return monitorMonths([...before, ...people], cards).filter(({ month }) => month >= first);
}

/** Who was scored in the months that cards are compared with. */
async function readPeopleOf(
  db: Queryable,
  months: readonly string[],
  { now, timeZone }: AskedMonths,
): Promise<ScoredPeople[]> {
  const people: ScoredPeople[] = [];
  for (const month of months) {
    const period = periodOfMonth(month, createWireTime(timeZone));
    if (period === undefined) continue;
    const { from, to: until } = period;
    people.push(...(await readScoredPeople(db, { from, until, now, timeZone })));
  }
  return people;
}
