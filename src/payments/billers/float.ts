/** Our float with an operator, and what follows from it. */

export type FloatState = 'enough' | 'low' | 'stopped';

export interface FloatLimits {
  /** Below it people are alerted; null: never. */
  readonly lowCents: bigint | null;
  /** At this or below nothing more is sent; null: until the operator refuses. */
  readonly stopCents: bigint | null;
  /** From this on it is used again, above `stopCents`, so that the state does not flap. */
  readonly resumeCents: bigint | null;
}

/** The state after a balance was reported. */
export function stateAfter(
  state: FloatState,
  balanceCents: bigint,
  { lowCents, stopCents, resumeCents }: FloatLimits,
): FloatState {
  const threshold = state === 'stopped' ? resumeCents : stopCents;
  const stops =
    threshold !== null &&
    (state === 'stopped' ? balanceCents < threshold : balanceCents <= threshold);
  if (stops) return 'stopped';
  return lowCents !== null && balanceCents < lowCents ? 'low' : 'enough';
}

/** How much was spent in one hour. */
export interface SpentHour {
  readonly hour: Date;
  readonly spentCents: bigint;
}

const HOUR_MS = 3_600_000;
const HOURS_PER_DAY = 24;
/** Further ahead a forecast says nothing. */
const MAX_HOURS = 14 * HOURS_PER_DAY;

/**
 * In how many hours the float reaches `floorCents`, if each hour costs the average of the same hour
 * of the recorded days; null: not within two weeks, or nothing was spent.
 */
export function hoursLeft(
  balanceCents: bigint,
  spent: readonly SpentHour[],
  at: { readonly now: Date; readonly floorCents: bigint },
): number | null {
  if (spent.length === 0) return null;
  const first = Math.min(...spent.map(({ hour }) => hour.getTime()));
  const days = Math.max(1, Math.ceil((at.now.getTime() - first) / (HOURS_PER_DAY * HOUR_MS)));
  const byHour = Array.from({ length: HOURS_PER_DAY }, () => 0);
  for (const { hour, spentCents } of spent) {
    byHour[hour.getUTCHours()] = (byHour[hour.getUTCHours()] ?? 0) + Number(spentCents) / days;
  }
  let left = Number(balanceCents - at.floorCents);
  if (left <= 0) return 0;
  // The current hour counts from now on.
  let hours = 0;
  let part = 1 - (at.now.getTime() % HOUR_MS) / HOUR_MS;
  while (hours < MAX_HOURS) {
    const now = new Date(at.now.getTime() + hours * HOUR_MS).getUTCHours();
    const cost = (byHour[now] ?? 0) * part;
    if (cost >= left) return hours + (left / cost) * part;
    left -= cost;
    hours += part;
    part = 1;
  }
  return null;
}
