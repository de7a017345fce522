import { LATENCY_STEP } from './read-activity.ts';
import type { ActivityRow } from './read-activity.ts';

export interface ActivitySums {
  readonly created: number;
  readonly paid: number;
  readonly failed: number;
  /** Without a final state. */
  readonly open: number;
  /** The part of those with a final state that was paid, 0 to 1; null: none has one. */
  readonly successRate: number | null;
  /** Time to the final state of half, and of 95 %, of them, within 10 %; null: none has one. */
  readonly p50Seconds: number | null;
  readonly p95Seconds: number | null;
}

export interface ActivityInterval extends Pick<ActivitySums, 'paid' | 'failed' | 'open'> {
  readonly begin: Date;
  readonly p95Seconds: number | null;
}

export function sumActivity(rows: Iterable<ActivityRow>): ActivitySums {
  let [paid, failed, open] = [0, 0, 0];
  const steps = new Map<number, number>();
  for (const { outcome, latencyStep, count } of rows) {
    if (outcome === 'success') paid += count;
    else if (outcome === 'failed') failed += count;
    else open += count;
    if (latencyStep !== null) steps.set(latencyStep, (steps.get(latencyStep) ?? 0) + count);
  }
  const final = paid + failed;
  return {
    created: final + open,
    paid,
    failed,
    open,
    successRate: final === 0 ? null : paid / final,
    p50Seconds: percentile(steps, final * 0.5),
    p95Seconds: percentile(steps, final * 0.95),
  };
}

/** The upper end of the step in which the sum of the counts reaches `rank`. */
function percentile(steps: ReadonlyMap<number, number>, rank: number): number | null {
  let sum = 0;
  for (const [step, count] of [...steps].toSorted(([one], [other]) => one - other)) {
    sum += count;
    if (sum >= rank && sum > 0) return Number((LATENCY_STEP ** (step + 1)).toPrecision(2));
  }
  return null;
}

/** Merges rows with the same properties. All get the same beginning. */
export function addActivity(rows: readonly ActivityRow[], begin: Date): ActivityRow[] {
  const added = new Map<string, ActivityRow>();
  for (const row of rows) {
    const { billerCode, operatorCode, outcome, latencyStep, count } = row;
    const key = JSON.stringify([billerCode, operatorCode, outcome, latencyStep]);
    added.set(key, { ...row, begin, count: count + (added.get(key)?.count ?? 0) });
  }
  return [...added.values()];
}

/** The sums of each interval from `from` until `to`, also of those without a payment. */
export function intervalsOf(
  rows: Iterable<ActivityRow>,
  span: { readonly from: Date; readonly to: Date; readonly minutes: number },
): ActivityInterval[] {
  const stepMs = span.minutes * 60_000;
  const first = Math.floor(span.from.getTime() / stepMs) * stepMs;
  const groups = Map.groupBy(rows, ({ begin }) => Math.floor(begin.getTime() / stepMs) * stepMs);
  const intervals: ActivityInterval[] = [];
  for (let at = first; at < span.to.getTime(); at += stepMs) {
    const { paid, failed, open, p95Seconds } = sumActivity(groups.get(at) ?? []);
    intervals.push({ begin: new Date(at), paid, failed, open, p95Seconds });
  }
  return intervals;
}
