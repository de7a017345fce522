import { expect, test } from 'vitest';
import { requireFormula } from '../../../../src/payments/prices/rules.ts';
import type { FeeFormula } from '../../../../src/payments/prices/price.ts';
import { flatFormula } from '../../../support/fee-prices.ts';

const tier = (fromCents: bigint) => ({ fromCents, flatCents: 1n, bps: 0 });

test.each<[string, Partial<FeeFormula>, string]>([
  ['no tier', { tiers: [] }, 'The first tier must begin at 0'],
  ['no tier from 0', { tiers: [tier(1n)] }, 'The first tier must begin at 0'],
  ['two equal tiers', { tiers: [tier(0n), tier(5n), tier(5n)] }, 'above the one before'],
  [
    'too many tiers',
    { tiers: Array.from({ length: 21 }, (_, n) => tier(BigInt(n))) },
    'At most 20',
  ],
  ['a maximum below the minimum', { minimumCents: 2n, maximumCents: 1n }, 'below the minimum'],
])('%s is refused', (_, change, text) => {
  expect(() => requireFormula({ ...flatFormula(1n), ...change })).toThrow(text);
});

test('tiers in order are possible', () => {
  expect(() =>
    requireFormula(flatFormula(1n, { tiers: [tier(0n), tier(5n)], minimumCents: 1n })),
  ).not.toThrow();
});
