const DAY_MS = 86_400_000;
const MINUTES = 30;

/** The span of a chart of the last 24 hours. */
export function lastDay(now: Date): { from: Date; to: Date; minutes: number } {
  return { from: new Date(now.getTime() - DAY_MS), to: now, minutes: MINUTES };
}
