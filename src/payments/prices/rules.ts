import { PlainError } from '../../platform/base/plain-error.ts';
import type { FeeFormula } from './price.ts';
export const MAX_TIERS = 20;

/** Throws: `PlainError` naming the field, if fees cannot follow from the formula. */
export function requireFormula({ tiers, minimumCents, maximumCents }: FeeFormula): void {
  const [first] = tiers;
  if (first === undefined || first.fromCents !== 0n) {
    throw new PlainError('The first tier must begin at 0.', { field: 'tiers' });
  }
  if (tiers.length > MAX_TIERS) {
    throw new PlainError(`At most ${MAX_TIERS} tiers are possible.`, { field: 'tiers' });
  }
  const unordered = tiers.find((tier, index) => {
    const before = tiers[index - 1];
    return before !== undefined && before.fromCents >= tier.fromCents;
  });
  if (unordered !== undefined) {
    throw new PlainError('Each tier must begin above the one before.', { field: 'tiers' });
  }
  if (minimumCents !== null && maximumCents !== null && maximumCents < minimumCents) {
    throw new PlainError('The maximum is below the minimum.', { field: 'maximum' });
  }
}
