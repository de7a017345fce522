import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Route } from '../../../../src/payments/billers/biller.ts';
import {
  bandsOf,
  BUSY_AFTER_MS,
  chooseRoute,
  failOver,
  obstacleTo,
} from '../../../../src/payments/dispatch/route.ts';
import type { Candidate } from '../../../../src/payments/dispatch/route.ts';

function candidate(
  operatorCode: string,
  given: Partial<Omit<Route, 'obstacle'>> & Partial<Omit<Candidate, 'route' | 'obstacle'>> = {},
): Candidate {
  const { free = 8, sentLately = 0, ...route } = given;
  return {
    route: {
      operatorCode,
      position: 0,
      weight: 1,
      minimumCents: null,
      maximumCents: null,
      dailyLimitCents: null,
      prices: [],
      obstacleReason: null,
      breaker: null,
      ...route,
      obstacle: null,
    },
    obstacle: null,
    free,
    sentLately,
  };
}

const first = candidate('a', { position: 0 });
const second = candidate('b', { position: 1 });

describe('a choice', () => {
  test('no reason is given for the only route', () => {
    expect(chooseRoute([first], 100n)).toEqual({
      operatorCode: 'a',
      reason: null,
      cause: 'only',
      waitMs: 0,
    });
  });

  test('takes the lowest position', () => {
    expect(chooseRoute([second, first], 100n)).toMatchObject({
      operatorCode: 'a',
      reason: 'first',
      cause: 'first',
    });
  });

  test('passes over a route with an obstacle, and says which', () => {
    const down = {
      ...first,
      obstacle: { cause: 'breaker' as const, text: 'circuit breaker: no answers' },
    };
    expect(chooseRoute([down, second], 100n)).toEqual({
      operatorCode: 'b',
      reason: 'a: circuit breaker: no answers',
      cause: 'breaker',
      waitMs: 0,
    });
  });

  test('keeps amounts within a route’s range', () => {
    const small = candidate('a', { maximumCents: 100n });
    expect(chooseRoute([small, second], 100n)).toMatchObject({ operatorCode: 'a' });
    expect(chooseRoute([small, second], 101n)).toMatchObject({
      operatorCode: 'b',
      cause: 'range',
    });
  });

  test('goes past a busy route only after a wait', () => {
    const busy = { ...first, free: 0 };
    expect(chooseRoute([busy, second], 1n)).toEqual({
      operatorCode: 'b',
      reason: 'a: busy',
      cause: 'busy',
      waitMs: BUSY_AFTER_MS,
    });
  });

  test('takes what a failover chose, unless that became unusable', () => {
    expect(chooseRoute([first, second], 1n, 'b')).toMatchObject({
      operatorCode: 'b',
      reason: 'failover',
      cause: 'failover',
    });
    const down = { ...second, obstacle: { cause: 'offline' as const, text: 'set OFFLINE' } };
    expect(chooseRoute([first, down], 1n, 'b')).toMatchObject({ operatorCode: 'a' });
  });

  test('no route is chosen while none is usable or free', () => {
    expect(chooseRoute([], 1n)).toBeUndefined();
    expect(chooseRoute([{ ...first, free: 0 }], 1n)).toBeUndefined();
  });

  test('shares by weight', () => {
    const sent = { a: 0, b: 0 };
    for (let count = 0; count < 400; count += 1) {
      const choice = chooseRoute(
        [
          candidate('a', { weight: 3, sentLately: sent.a }),
          candidate('b', { weight: 1, sentLately: sent.b }),
        ],
        1n,
      );
      expect(choice?.cause).toBe('weight');
      sent[choice?.operatorCode as 'a' | 'b'] += 1;
    }
    expect(sent).toEqual({ a: 300, b: 100 });
  });
});

describe('a failover', () => {
  const third = candidate('c', { position: 2 });
  const last = { amountCents: 1n, attemptNumber: 1 };

  test('tries each other route at once, and the first one again after a pause', () => {
    const routes = [first, second, third];
    expect(failOver(routes, { ...last, operatorCode: 'a' })).toEqual({
      operatorCode: 'b',
      round: null,
    });
    expect(failOver(routes, { ...last, operatorCode: 'b', attemptNumber: 2 })).toEqual({
      operatorCode: 'c',
      round: null,
    });
    expect(failOver(routes, { ...last, operatorCode: 'c', attemptNumber: 3 })).toEqual({
      operatorCode: 'a',
      round: 0,
    });
  });

  test('without another route waits for the same one', () => {
    const down = { ...second, obstacle: { cause: 'offline' as const, text: 'set OFFLINE' } };
    expect(failOver([first, down], { ...last, operatorCode: 'a', attemptNumber: 3 })).toEqual({
      operatorCode: null,
      round: 2,
    });
  });

  test('goes on from an operator that is no longer a route', () => {
    expect(failOver([first, second], { ...last, operatorCode: 'gone' })).toMatchObject({
      operatorCode: 'a',
    });
  });
});

describe('every choice', () => {
  const cents = fc.bigInt({ min: 1n, max: 50n });
  const candidates = fc.uniqueArray(
    fc
      .record({
        code: fc.constantFrom('a', 'b', 'c', 'd'),
        position: fc.nat(2),
        weight: fc.integer({ min: 1, max: 5 }),
        minimumCents: fc.option(cents),
        maximumCents: fc.option(cents),
        blocked: fc.boolean(),
        free: fc.nat(2),
        sentLately: fc.nat(9),
      })
      .map(({ code, blocked, ...given }) => {
        const made = candidate(code, given);
        return blocked ? { ...made, obstacle: { cause: 'breaker' as const, text: 'down' } } : made;
      }),
    { selector: ({ route }) => route.operatorCode },
  );

  test('every choice is usable, and the same for every amount of its band', () => {
    fc.assert(
      fc.property(candidates, fc.bigInt({ min: 0n, max: 60n }), (routes, amount) => {
        const bands = bandsOf(
          routes.map(({ route }) => route),
          60n,
        );
        const band = bands.find(
          ({ minimumCents, maximumCents }) => amount >= minimumCents && amount <= maximumCents,
        );
        expect(band).toBeDefined();
        const choice = chooseRoute(routes, amount);
        expect(chooseRoute(routes, band?.minimumCents ?? 0n)).toEqual(choice);
        const chosen = routes.find(({ route }) => route.operatorCode === choice?.operatorCode);
        if (chosen !== undefined) {
          expect(obstacleTo(chosen, amount)).toBeNull();
          expect(chosen.free).toBeGreaterThan(0);
        } else {
          expect(routes.every((one) => one.free === 0 || obstacleTo(one, amount) !== null)).toBe(
            true,
          );
        }
      }),
    );
  });
});
