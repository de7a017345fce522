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
