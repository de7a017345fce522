/** The amount spent in one hour. */
export interface SpentHour {
  /** Its start. */
  readonly hour: Date;
  readonly spentCents: bigint;
}

const HOUR_MS = 3_600_000;
const HOURS_PER_DAY = 24;
const HOURS_PER_WEEK = 7 * HOURS_PER_DAY;
/** The limit of a forecast. */
const MAX_HOURS = 2 * HOURS_PER_WEEK;

/** A forecast uses this many days: each hour of the week four times. */
export const FORECAST_DAYS = 28;

/**
 * The number of hours until a float reaches `floorCents`; null: not within two weeks, or not known.
 *
 * Each hour ahead costs the average of the same hour of the week in the recorded time. While that has
 * not been recorded once, it costs the average of the same hour of the day, or else of all hours. The
 * recorded time begins with the first hour in `spent` and ends with the current hour, which is not
 * complete and does not count; an hour without a row cost nothing. Pure.
 */
export function hoursLeft(
  balanceCents: bigint,
  spent: readonly SpentHour[],
  at: { readonly now: Date; readonly floorCents: bigint },
): number | null {
  let left = Number(balanceCents - at.floorCents);
  if (left <= 0) return 0;
  const cost = costs(spent, hourOf(at.now));
  if (cost === undefined) return null;
  let hours = 0;
  // The current hour counts from now on.
  let part = 1 - (at.now.getTime() % HOUR_MS) / HOUR_MS;
  for (let hour = hourOf(at.now); hours < MAX_HOURS; hour += 1) {
    const now = cost(hour) * part;
    if (now >= left) return hours + (left / now) * part;
    left -= now;
    hours += part;
    part = 1;
  }
  return null;
}

/** Whole hours since 1970. */
function hourOf(time: Date): number {
  return Math.floor(time.getTime() / HOUR_MS);
}

/** The consumption of an hour; undefined: nothing was spent, or no complete hour has been recorded. */
function costs(
  spent: readonly SpentHour[],
  current: number,
): ((hour: number) => number) | undefined {
  const byHour = new Map<number, number>();
  for (const { hour, spentCents } of spent) {
    if (hourOf(hour) < current) byHour.set(hourOf(hour), Number(spentCents));
  }
  const total = [...byHour.values()].reduce((sum, cents) => sum + cents, 0);
  if (total === 0) return undefined;
  const first = Math.min(...byHour.keys());
  const average = (step: number) => averages(byHour, { first, current, step });
  const [ofWeek, ofDay] = [average(HOURS_PER_WEEK), average(HOURS_PER_DAY)];
  const ofAll = total / (current - first);
  return (hour) => ofWeek(hour) ?? ofDay(hour) ?? ofAll;
}

/** The average of the recorded hours that are whole multiples of `step` hours away. */
function averages(
  byHour: ReadonlyMap<number, number>,
  recorded: { readonly first: number; readonly current: number; readonly step: number },
): (hour: number) => number | undefined {
  const { first, current, step } = recorded;
  const sums = new Map<number, { cents: number; count: number }>();
  for (let hour = first; hour < current; hour += 1) {
    const sum = sums.get(hour % step) ?? { cents: 0, count: 0 };
    sum.cents += byHour.get(hour) ?? 0;
    sum.count += 1;
    sums.set(hour % step, sum);
  }
  return (hour) => {
    const sum = sums.get(hour % step);
    return sum && sum.cents / sum.count;
  };
}
