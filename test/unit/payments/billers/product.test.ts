import { expect, test } from 'vitest';
import { amountsText, isSold, rangeText } from '../../../../src/payments/billers/product.ts';

const range = (minimumCents: bigint, maximumCents = minimumCents, currency = 'KES') => ({
  minimumCents,
  maximumCents,
  currency,
});

test('an amount buys a product of that price, or one whose range it is in', () => {
  const ranges = [range(100n), range(200n, 300n)];
  const sold = [99n, 100n, 101n, 199n, 200n, 250n, 300n, 301n].filter((cents) =>
    isSold(ranges, cents),
  );
  expect(sold).toEqual([100n, 200n, 250n, 300n]);
  expect(isSold([], 1n)).toBe(true);
});

test('amounts are named in order, each once, and not too many', () => {
  expect(amountsText([range(20_000n, 30_000n), range(5_000n), range(5_000n)])).toBe(
    '50.00, 200.00 to 300.00',
  );
  const many = Array.from({ length: 13 }, (_, index) => range(BigInt(index + 1) * 100n));
  expect(amountsText(many)).toMatch(/^1\.00, .*, 12\.00, …$/);
  expect(rangeText(range(75n, 75n, 'USD'))).toBe('0.75 USD');
});
