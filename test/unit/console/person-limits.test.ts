import { expect, test } from 'vitest';
import { createPersonLimits } from '../../../src/console/person-limits.ts';

const countAllowed = (take: () => void): number => {
  for (let count = 0; count < 10_000; count += 1) {
    try {
      take();
    } catch {
      return count;
    }
  }
  return Number.POSITIVE_INFINITY;
};

test('reads are generous, changes are not, and each person has their own', () => {
  let nowMs = 0;
  const rates = { readsPerSecond: 20, changesPerSecond: 2, nowMs: () => nowMs };
  const limits = createPersonLimits(rates);
  expect(countAllowed(() => limits.forReading('asha'))).toBe(200);
  expect(countAllowed(() => limits.forChange('asha'))).toBe(60);
  expect(countAllowed(() => limits.forChange('juma'))).toBe(60);
  nowMs += 1_000;
  expect(countAllowed(() => limits.forReading('asha'))).toBe(20);
  expect(countAllowed(() => limits.forChange('asha'))).toBe(2);
});

test('the refusal says how long to wait', () => {
  const limits = createPersonLimits({ readsPerSecond: 1, changesPerSecond: 1, nowMs: () => 0 });
  countAllowed(() => limits.forChange('asha'));
  expect(() => limits.forChange('asha')).toThrow(
    expect.objectContaining({
      code: 'too_many_requests',
      retryAfterSeconds: 1,
      message: 'You have sent too many changes and exports in a short time. Wait a second.',
    }),
  );
});

test('0 is no limit', () => {
  const limits = createPersonLimits({ readsPerSecond: 0, changesPerSecond: 0 });
  expect(countAllowed(() => limits.forChange('asha'))).toBe(Number.POSITIVE_INFINITY);
});
