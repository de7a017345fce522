import type { Random } from '../simulation/random.ts';

// What customers really paid in a month, and what each channel makes of it.

/** A customer's payment to the pay bill, or a deposit that only the bank knows. */
export interface Paid {
  readonly kind: 'paybill' | 'deposit';
  /** M-PESA's number. Of a deposit: the bank's. */
  readonly number: string;
  /** The bank's own number of its line. */
  readonly bankNumber: string;
  readonly cents: bigint;
  readonly at: Date;
  /** As the customer wrote it. */
  readonly written: string;
  /** Of the vendor whose it is; null: nobody has that account. */
  readonly vendor: number | null;
}

export const ACCOUNTS = ['V001', 'V002', 'V003'];
const MONTH_MS = 30 * 86_400_000;
const LETTERS = 'ABCDEFGHJKMNPQRSTUVWXYZ';

/** Few different amounts, so that payments are alike. */
const AMOUNTS = [5_000n, 50_000n, 50_000n, 150_050n];

export function drawMonth(random: Random, now: Date): readonly Paid[] {
  const begin = now.getTime() - MONTH_MS;
  const month: Paid[] = [];
  for (let number = 0; number < random.whole(6, 10); number += 1) {
    const before = month.at(-1);
    // Two customers may pay the same for the same account at the same moment.
    const isTwin = before !== undefined && random.chance(0.2);
    const vendor = isTwin ? before.vendor : random.chance(0.12) ? null : random.whole(0, 2);
    const kind = random.chance(0.15) ? 'deposit' : 'paybill';
    const second = Math.floor((begin + random.next() * MONTH_MS) / 1000);
    month.push({
      kind,
      number: kind === 'deposit' ? `DEP${100_000 + number}` : mpesaNumber(random, number),
      bankNumber: `FT26${100_000 + number}`,
      cents: isTwin ? before.cents : random.pick(AMOUNTS),
      at: isTwin
        ? new Date(before.at.getTime() + random.whole(0, 90) * 1000)
        : new Date(second * 1000),
      written: vendor === null ? `NOBODY${number}` : spelling(random, ACCOUNTS[vendor] ?? ''),
      vendor,
    });
  }
  return month;
}

function mpesaNumber(random: Random, number: number): string {
  const letter = (): string => LETTERS[random.whole(0, LETTERS.length - 1)] ?? 'A';
  return `U${letter()}${letter()}${letter()}${String(number).padStart(4, '0')}${letter()}${letter()}`;
}

/** Customers write an account number in many ways. */
function spelling(random: Random, account: string): string {
  return random.pick([
    ...[account, account, account.toLowerCase(), ` ${account} `],
    `${account.slice(0, 1)}-${account.slice(1)}`,
  ]);
}

/** True if a day's list of equal amounts for one account could mean either of them. */
export function areAlike(one: Paid, other: Paid): boolean {
  return one.cents === other.cents && one.vendor === other.vendor;
}
