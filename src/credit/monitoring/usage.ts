import type { UsageCount } from './usage-store.ts';

/** Enquiries of a day or of a vendor. */
export interface Usage {
  /** A day, or a vendor. */
  readonly of: string;
  readonly enquiries: number;
  readonly answered: number;
  readonly notFound: number;
  /** Names or documents did not agree. */
  readonly mismatched: number;
  readonly unknown: number;
  /** Share of those with a result that found somebody; null without any. */
  readonly hitRate: number | null;
  /** Share of those with a result whose names or documents did not agree. */
  readonly mismatchRate: number | null;
}

/** The counts of each day, or of each vendor, in the order of their first appearance. */
export function usageBy(counts: readonly UsageCount[], by: 'day' | 'vid'): Usage[] {
  return [...Map.groupBy(counts, (one) => one[by])].map(([of, group]) => usageOf(of, group));
}

/** Every day of a period, also those without an enquiry. @param days `YYYY-MM-DD`. */
export function usageOfDays(counts: readonly UsageCount[], days: readonly string[]): Usage[] {
  const found = new Map(usageBy(counts, 'day').map((one) => [one.of, one]));
  return days.map((day) => found.get(day) ?? usageOf(day, []));
}

function usageOf(of: string, counts: readonly UsageCount[]): Usage {
  const sum = (...outcomes: readonly UsageCount['outcome'][]): number =>
    counts
      .filter(({ outcome }) => outcomes.includes(outcome))
      .reduce((total, { count }) => total + count, 0);
  const [answered, notFound, unknown] = [sum('answered'), sum('not_found'), sum('unknown')];
  const mismatched = sum('mismatch', 'conflict');
  const known = answered + notFound + mismatched;
  return {
    of,
    enquiries: known + unknown,
    ...{ answered, notFound, mismatched, unknown },
    hitRate: known === 0 ? null : answered / known,
    mismatchRate: known === 0 ? null : mismatched / known,
  };
}
