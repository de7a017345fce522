import { formatMoney } from '../../platform/base/money.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { addHours, hourKey } from '../ledger/sums.ts';
import { computeHours, listHours, readSummedUntil } from '../ledger/sums-store.ts';
import type { HourSum } from '../ledger/sums-store.ts';
import type { Violation } from './violation.ts';

export const HOURS_INVARIANT = {
  name: 'hours_equal_transfers',
  says: 'The sums of transfers by hour are those of all vendors’ transfers.',
};

/** Computes the sums by hour again. */
export async function checkHours(
  db: Queryable,
  onInvariant?: (name: string) => void,
): Promise<Violation[]> {
  onInvariant?.(HOURS_INVARIANT.name);
  const until = await readSummedUntil(db);
  const made = until === undefined ? [] : await computeHours(db, { from: null, to: until });
  const right = new Map(addHours(made).map((sum) => [hourKey(sum), sum]));
  const violations: Violation[] = [];
  const report = (found: HourSum | undefined, wanted: HourSum | undefined): void => {
    const sum = found ?? wanted;
    if (sum === undefined || textOf(found) === textOf(wanted)) return;
    const pair = `from ${sum.debitAccount} to ${sum.creditAccount}`;
    const of = [sum.billerCode, sum.operatorCode].filter((code) => code !== '').join(' by ');
    const detail = `the hour from ${sum.hour.toISOString()}, ${pair}${of && `, ${of}`}: the sum is ${textOf(found)}, transfers make ${textOf(wanted)}`;
    violations.push({ invariant: HOURS_INVARIANT.name, vendorId: 0, detail });
  };
  for (const sum of await listHours(db)) {
    report(sum, right.get(hourKey(sum)));
    right.delete(hourKey(sum));
  }
  for (const sum of right.values()) report(undefined, sum);
  return violations;
}

function textOf(sum: HourSum | undefined): string {
  if (sum === undefined) return 'nothing';
  return `${formatMoney(sum.amountCents)} in ${sum.count} (${sum.payments} payments)`;
}
