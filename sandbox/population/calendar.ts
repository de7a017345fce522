/** The months up to an as-of date, as the generator counts them: 0 is the month of the as-of date. */
export interface Calendar {
  readonly asOf: Date;
  /** The last day of the month this many months ago. One object per month, shared by all states. */
  monthEnd(monthsAgo: number): Date;
  /** A day (1 to 28) of the month this many months ago. */
  day(monthsAgo: number, dayOfMonth: number): Date;
}

/** Throws a RangeError unless `asOf` is the last day of a month, at midnight UTC. */
export function createCalendar(asOf: Date): Calendar {
  const [year, month] = [asOf.getUTCFullYear(), asOf.getUTCMonth()];
  if (asOf.getTime() !== Date.UTC(year, month + 1, 0)) {
    throw new RangeError('asOf must be the last day of a month at midnight UTC');
  }
  const ends = new Map<number, Date>();
  return {
    asOf,
    monthEnd: (monthsAgo) => {
      let end = ends.get(monthsAgo);
      if (end === undefined) {
        end = new Date(Date.UTC(year, month - monthsAgo + 1, 0));
        ends.set(monthsAgo, end);
      }
      return end;
    },
    day: (monthsAgo, dayOfMonth) => new Date(Date.UTC(year, month - monthsAgo, dayOfMonth)),
  };
}

/** The end of the last full month before an instant: an as-of date that is not in the future. */
export function lastMonthEnd(before: Date): Date {
  return new Date(Date.UTC(before.getUTCFullYear(), before.getUTCMonth(), 0));
}
