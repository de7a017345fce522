import { DAY_MS } from '../../platform/base/days.ts';
import { plainReference } from '../../platform/base/written-alike.ts';

/** A movement of one of our bank accounts, as the bank lists it or as our books have it. */
export interface BankMovement {
  readonly at: Date;
  /** Below zero: it left the account. */
  readonly amountCents: bigint;
  readonly reference: string;
  /** The kind of the line, or of what caused the booking. */
  readonly kind: string;
}

/** A line and a booking that are not the same; both: the same on two days. */
export interface BankItem {
  readonly line: BankMovement | null;
  readonly booking: BankMovement | null;
}

/** The account on one day. */
export interface BankDay {
  readonly day: string;
  /** Sums of the day's movements. */
  readonly listedCents: bigint;
  readonly bookedCents: bigint;
  /** The sum of the bank’s lines less our bookings up to the end of the day. */
  readonly differenceCents: bigint;
}

/** Banks book a transfer later, or on the day of its value. */
const NEAR_MS = 4 * DAY_MS;

/**
 * Pairs lines with bookings of the same amount: first by their references, then by the nearest time. Returns what is
 * left of both, and pairs that are on two days. Pure.
 * @param dayOf the day of a time, as the service names it.
 */
export function compareBank(
  lines: readonly BankMovement[],
  bookings: readonly BankMovement[],
  dayOf: (at: Date) => string,
): BankItem[] {
  const free = new Map<string, BankMovement[]>();
  const byAmount = (of: BankMovement): BankMovement[] => {
    const key = String(of.amountCents);
    const known = free.get(key) ?? [];
    free.set(key, known);
    return known;
  };
  for (const booking of bookings) byAmount(booking).push(booking);
  const pairs = new Map<BankMovement, BankMovement>();
  const pair = (
    line: BankMovement,
    fits: (booking: BankMovement, apartMs: number) => boolean,
  ): void => {
    const candidates = byAmount(line);
    const apart = (booking: BankMovement): number => Math.abs(Number(booking.at) - Number(line.at));
    const [best] = candidates
      .filter((booking) => fits(booking, apart(booking)))
      .toSorted((one, other) => apart(one) - apart(other));
    if (best === undefined) return;
    candidates.splice(candidates.indexOf(best), 1);
    pairs.set(line, best);
  };
  for (const line of lines) {
    const number = plainReference(line.reference);
    pair(line, (booking) => plainReference(booking.reference) === number);
  }
  for (const line of lines) {
    if (pairs.has(line)) continue;
    // Receipts are known by their numbers alone.
    pair(line, ({ kind }, apartMs) => kind !== 'receipt' && apartMs <= NEAR_MS);
  }
  const items: BankItem[] = lines.flatMap((line): BankItem[] => {
    const booking = pairs.get(line) ?? null;
    return booking !== null && dayOf(booking.at) === dayOf(line.at) ? [] : [{ line, booking }];
  });
  const left = [...free.values()].flat().map((booking) => ({ line: null, booking }));
  return [...items, ...left].toSorted((one, other) => timeOf(one) - timeOf(other));
}

const timeOf = ({ line, booking }: BankItem): number => Number((line ?? booking)?.at ?? 0);

/** Sums both sides by day, up to which they differ by what the items explain. Pure. */
export function daysOf(
  lines: readonly BankMovement[],
  bookings: readonly BankMovement[],
  dayOf: (at: Date) => string,
): BankDay[] {
  const sums = new Map<string, { listed: bigint; booked: bigint }>();
  const add = (of: BankMovement, side: 'listed' | 'booked'): void => {
    const day = dayOf(of.at);
    const sum = sums.get(day) ?? { listed: 0n, booked: 0n };
    sum[side] += of.amountCents;
    sums.set(day, sum);
  };
  for (const line of lines) add(line, 'listed');
  for (const booking of bookings) add(booking, 'booked');
  let differenceCents = 0n;
  return [...sums]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([day, { listed, booked }]) => {
      differenceCents += listed - booked;
      return { day, listedCents: listed, bookedCents: booked, differenceCents };
    });
}
