import { DAY_MS } from '../../platform/base/days.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { snapshot } from '../../platform/db/pool.ts';
import { compareBank, daysOf } from './compare-bank.ts';
import type { BankDay, BankItem } from './compare-bank.ts';
import {
  listBankBookings,
  listBankLines,
  listListedBanks,
  sumBankDifference,
} from './read-bank.ts';

/** A pair may be this far apart, so that a period needs its neighbours. */
const AROUND_MS = 5 * DAY_MS;

export interface BankReport {
  /** Where the statements begin that were imported. Null: none were, and nothing can be compared. */
  readonly since: Date | null;
  /** The sum of the bank’s lines less our bookings before the period, from `since` on. */
  readonly openingCents: bigint;
  readonly days: readonly BankDay[];
  readonly items: readonly BankItem[];
}

/**
 * Compares one of our bank accounts with its statements in a period, by the time at which money moved. The items
 * explain the difference: lines without a booking, bookings without a line, and pairs on two days.
 * @param dayOf the day of a time, as the service names it.
 */
export async function reportBank(
  pool: Pool,
  bank: string,
  period: { readonly from: Date; readonly to: Date },
  dayOf: (at: Date) => string,
): Promise<BankReport> {
  return await snapshot(pool, async (db) => {
    const listed = (await listListedBanks(db)).find((one) => one.bank === bank);
    if (listed === undefined) return { since: null, openingCents: 0n, days: [], items: [] };
    const since = listed.from;
    const from = period.from < since ? since : period.from;
    const around = {
      from: new Date(Math.max(Number(since), Number(from) - AROUND_MS)),
      to: new Date(Number(period.to) + AROUND_MS),
    };
    const lines = await listBankLines(db, bank, around);
    const bookings = await listBankBookings(db, bank, around);
    const isWithin = ({ at }: { readonly at: Date }): boolean => at >= from && at < period.to;
    const openingCents = await sumBankDifference(db, bank, { from: since, to: from });
    return {
      since,
      openingCents,
      days: daysOf(lines.filter(isWithin), bookings.filter(isWithin), dayOf).map((day) => ({
        ...day,
        differenceCents: day.differenceCents + openingCents,
      })),
      items: compareBank(lines, bookings, dayOf).filter(({ line, booking }) =>
        [line, booking].some((one) => one !== null && isWithin(one)),
      ),
    };
  });
}
