import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stateAfter } from '../../../../src/payments/billers/float.ts';
import type { FloatState } from '../../../../src/payments/billers/float.ts';

const LIMITS = { lowCents: 500n, stopCents: 100n, resumeCents: 300n };

describe('the state of a float', () => {
  test.each<[FloatState, bigint, FloatState]>([
    ['enough', 500n, 'enough'],
    ['enough', 499n, 'low'],
    ['low', 101n, 'low'],
    ['low', 100n, 'stopped'],
    ['stopped', 101n, 'stopped'],
    ['stopped', 299n, 'stopped'],
    ['stopped', 300n, 'low'],
    ['stopped', 500n, 'enough'],
  ])('%s, with %s cents: %s', (before, cents, after) => {
    expect(stateAfter(before, cents, LIMITS)).toBe(after);
  });

  test('a float without limits is always enough', () => {
    const none = { lowCents: null, stopCents: null, resumeCents: null };
    expect(stateAfter('stopped', 0n, none)).toBe('enough');
  });

  test('does not flap: between stop and resume it does not change', () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: 101n, max: 299n })), (balances) => {
        let state: FloatState = 'stopped';
        for (const cents of balances) state = stateAfter(state, cents, LIMITS);
        expect(state).toBe('stopped');
      }),
    );
  });
});
