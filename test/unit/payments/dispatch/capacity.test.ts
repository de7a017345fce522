import { describe, expect, test } from 'vitest';
import type { Operator } from '../../../../src/payments/billers/biller.ts';
import { createCapacity } from '../../../../src/payments/dispatch/capacity.ts';
import type { Capacity } from '../../../../src/payments/dispatch/capacity.ts';

function operator(given: Partial<Operator> = {}): Operator {
  return {
    operatorCode: 'kplc',
    name: 'Kenya Power',
    connector: 'scripted',
    baseUrl: 'http://127.0.0.1:9',
    settings: {},
    maxConcurrency: 6,
    maxPerSecond: null,
    secrets: [],
    ...given,
  };
}

function withClock(): { capacity: Capacity; pass: (ms: number) => void } {
  let nowMs = 0;
  return {
    capacity: createCapacity(() => nowMs),
    pass: (ms) => {
      nowMs += ms;
    },
  };
}

describe('the places at an operator', () => {
  test('half of the places are for queries, of which a vendor’s validations get half', () => {
    const { capacity } = withClock();
    const kplc = operator({ maxConcurrency: 8 });
    const ends = [1, 1, 1, 2, 2, 3].map((vendorId) => capacity.beginValidation(kplc, vendorId));
    expect(ends.map((end) => end !== undefined)).toEqual([true, true, false, true, true, false]);
    expect(capacity.free(kplc, 'verify', 0)).toBe(0);
    expect(capacity.free(kplc, 'send', 0)).toBe(4);
    ends[0]?.();
    expect(capacity.free(kplc, 'verify', 0)).toBe(1);
    capacity.begin(kplc, 'verify');
    expect(capacity.beginValidation(kplc, 1)).toBeUndefined();
    capacity.end(kplc, 'verify');
    expect(capacity.beginValidation(kplc, 2)).toBeUndefined();
    expect(capacity.beginValidation(kplc, 1)).toBeDefined();
    // One place is enough for one query.
    expect(
      capacity.beginValidation(operator({ operatorCode: 'one', maxConcurrency: 1 }), 1),
    ).toBeDefined();
  });

  test('validations share the places of queries, and get half of them', () => {
    const { capacity } = withClock();
    const kplc = operator({ maxConcurrency: 4 });
    capacity.begin(kplc, 'validate');
    expect(capacity.free(kplc, 'validate', 0)).toBe(1);
    expect(capacity.free(kplc, 'send', 0)).toBe(3);
    capacity.begin(kplc, 'validate');
    expect(capacity.free(kplc, 'validate', 0)).toBe(0);
    for (let calls = 0; calls < 2; calls += 1) capacity.begin(kplc, 'send');
    expect(capacity.free(kplc, 'send', 0)).toBe(0);
    expect(capacity.underWay).toBe(4);
    let freed = 0;
    capacity.onValidated(() => (freed += 1));
    capacity.end(kplc, 'validate');
    expect([freed, capacity.free(kplc, 'validate', 0)]).toEqual([1, 1]);
    // Payments take the free places.
    capacity.begin(kplc, 'send');
    expect(capacity.free(kplc, 'validate', 0)).toBe(0);
  });

  test('validations count towards the rate, and leave half a second’s worth to payments', () => {
    const { capacity, pass } = withClock();
    const kplc = operator({ maxConcurrency: 100, maxPerSecond: 10 });
    expect(capacity.free(kplc, 'validate', 0)).toBe(5);
    for (let count = 0; count < 5; count += 1) capacity.begin(kplc, 'validate');
    expect(capacity.free(kplc, 'validate', 0)).toBe(0);
    expect(capacity.free(kplc, 'send', 0)).toBe(5);
    pass(100);
    expect(capacity.free(kplc, 'validate', 0)).toBe(1);
    const slow = operator({ operatorCode: 'slow', maxPerSecond: 1 });
    expect(capacity.free(slow, 'validate', 0)).toBe(1);
  });

  test('the free places are the concurrency less the calls in progress, of either kind', () => {
    const { capacity } = withClock();
    const kplc = operator();
    expect(capacity.free(kplc, 'send', 0)).toBe(6);
    capacity.begin(kplc, 'send');
    capacity.begin(kplc, 'verify');
    expect(capacity.free(kplc, 'send', 0)).toBe(4);
    expect(capacity.underWay).toBe(2);
    capacity.end(kplc, 'send');
    capacity.end(kplc, 'verify');
    expect(capacity.free(kplc, 'send', 0)).toBe(6);
    expect(capacity.underWay).toBe(0);
  });

  test('no place is given away twice', () => {
    const { capacity } = withClock();
    expect(capacity.free(operator(), 'send', 2)).toBe(4);
    expect(capacity.free(operator(), 'verify', 5)).toBe(1);
    expect(capacity.free(operator(), 'send', 6)).toBe(0);
    expect(capacity.free(operator(), 'verify', 9)).toBe(0);
  });

  test.each([
    [6, 3],
    [5, 3],
    [1, 1],
  ])('%d places have at most %d for status queries', (maxConcurrency, max) => {
    const { capacity } = withClock();
    const kplc = operator({ maxConcurrency });
    for (let free = max; free > 0; free -= 1) {
      expect(capacity.free(kplc, 'verify', 0)).toBe(free);
      capacity.begin(kplc, 'verify');
    }
    expect(capacity.free(kplc, 'verify', 0)).toBe(0);
  });

  test('the number of places is never negative when the concurrency is lowered', () => {
    const { capacity } = withClock();
    for (let calls = 0; calls < 6; calls += 1) capacity.begin(operator(), 'send');
    const less = operator({ maxConcurrency: 2 });
    expect(capacity.free(less, 'send', 0)).toBe(0);
    expect(capacity.free(less, 'verify', 0)).toBe(0);
  });

  test('each operator has places of its own', () => {
    const { capacity } = withClock();
    for (let calls = 0; calls < 6; calls += 1) capacity.begin(operator(), 'send');
    expect(capacity.free(operator({ operatorCode: 'airtel' }), 'send', 0)).toBe(6);
  });
});

describe('the rate of an operator', () => {
  test('lets one second’s worth through, then as many as the rate allows', () => {
    const { capacity, pass } = withClock();
    const kplc = operator({ maxConcurrency: 100, maxPerSecond: 4 });
    expect(capacity.free(kplc, 'send', 0)).toBe(4);
    for (let calls = 0; calls < 4; calls += 1) {
      capacity.begin(kplc, 'send');
      capacity.end(kplc, 'send');
    }
    expect(capacity.free(kplc, 'send', 0)).toBe(0);
    pass(249);
    expect(capacity.free(kplc, 'send', 0)).toBe(0);
    pass(1);
    expect(capacity.free(kplc, 'send', 0)).toBe(1);
    pass(60_000);
    expect(capacity.free(kplc, 'send', 0)).toBe(4);
  });

  test('status queries do not count towards the rate of instructions', () => {
    const { capacity } = withClock();
    const kplc = operator({ maxConcurrency: 100, maxPerSecond: 1 });
    capacity.begin(kplc, 'verify');
    expect(capacity.free(kplc, 'send', 0)).toBe(1);
    capacity.begin(kplc, 'send');
    expect(capacity.free(kplc, 'verify', 0)).toBe(49);
  });

  test('never exceeds the places', () => {
    const { capacity } = withClock();
    expect(capacity.free(operator({ maxPerSecond: 50 }), 'send', 0)).toBe(6);
  });
});
