import { expect, test } from 'vitest';
import { createPersonLimits } from '../../../../src/parties/people/person-limits.ts';

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

const ASHA = { personId: 'asha', vendor: undefined };
const JUMA = { personId: 'juma', vendor: undefined };

test('reads are generous, changes are not, and each person has their own', () => {
  let nowMs = 0;
  const rates = { readsPerSecond: 20, changesPerSecond: 2, nowMs: () => nowMs };
  const limits = createPersonLimits(rates);
  expect(countAllowed(() => limits.forReading(ASHA))).toBe(200);
  expect(countAllowed(() => limits.forChange(ASHA))).toBe(60);
  expect(countAllowed(() => limits.forChange(JUMA))).toBe(60);
  nowMs += 1_000;
  expect(countAllowed(() => limits.forReading(ASHA))).toBe(20);
  expect(countAllowed(() => limits.forChange(ASHA))).toBe(2);
});

test('the refusal says how long to wait', () => {
  const limits = createPersonLimits({ readsPerSecond: 1, changesPerSecond: 1, nowMs: () => 0 });
  countAllowed(() => limits.forChange(ASHA));
  expect(() => limits.forChange(ASHA)).toThrow(
    expect.objectContaining({
      code: 'too_many_requests',
      retryAfterSeconds: 1,
      message: 'You have sent too many changes and exports in a short time. Wait a second.',
    }),
  );
});

test('0 is no limit', () => {
  const limits = createPersonLimits({ readsPerSecond: 0, changesPerSecond: 0 });
  expect(countAllowed(() => limits.forChange(ASHA))).toBe(Number.POSITIVE_INFINITY);
});

test('a vendor has the limit of ten people, however many it adds', () => {
  const limits = createPersonLimits({ readsPerSecond: 20, changesPerSecond: 2, nowMs: () => 0 });
  const personOf = (vid: string, number: number) => ({
    personId: `${vid} ${number}`,
    vendor: { vid },
  });
  for (let number = 0; number < 10; number += 1) {
    expect(countAllowed(() => limits.forReading(personOf('shop', number)))).toBe(200);
  }
  expect(() => limits.forReading(personOf('shop', 10))).toThrow(
    'The people of your company have sent too many requests',
  );
  expect(countAllowed(() => limits.forReading(personOf('other', 0)))).toBe(200);
  expect(countAllowed(() => limits.forReading(ASHA))).toBe(200);
});
