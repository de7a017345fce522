import { DAY_MS } from '../../platform/base/days.ts';

/** Age of an open item in days: from 0 to 1, from 1 to 7, from 7 to 30, longer. */
export const AGES = ['0-1', '1-7', '7-30', '>30'] as const;
export type Age = (typeof AGES)[number];

/** Days after which the next age begins. */
const LIMIT_DAYS = [1, 7, 30] as const;

/** The instants at which the ages end, the newest first. */
export function ageLimits(now: Date): readonly [Date, Date, Date] {
  const [first, second, third] = LIMIT_DAYS;
  const before = (days: number): Date => new Date(now.getTime() - days * DAY_MS);
  return [before(first), before(second), before(third)];
}

/** Pure. */
export function ageOf(since: Date, now: Date): Age {
  const passed = ageLimits(now).filter((limit) => since < limit).length;
  return AGES[passed] ?? '>30';
}

/** Amounts by age, in the order of `AGES`. */
export type ByAge = readonly [bigint, bigint, bigint, bigint];

/** Pure. */
export function sumByAge(
  items: readonly { readonly age: Age; readonly amountCents: bigint }[],
): ByAge {
  const sum = (age: Age): bigint =>
    items.reduce((total, item) => (item.age === age ? total + item.amountCents : total), 0n);
  const [first, second, third, fourth] = AGES;
  return [sum(first), sum(second), sum(third), sum(fourth)];
}
