import { describe, expect, test } from 'vitest';
import {
  createCallRecord,
  pauseMs,
  TRIAL_INSTRUCTIONS,
} from '../../../../src/payments/dispatch/breaker.ts';
import type { CallRecord } from '../../../../src/payments/dispatch/breaker.ts';
import type { CallEnd } from '../../../../src/payments/dispatch/worker.ts';

const SILENT: CallEnd = { stage: 'send', result: 'unknown', answered: false, pausedReason: null };
const PAID: CallEnd = { stage: 'send', result: 'paid', answered: true, pausedReason: null };
const QUERY_SILENT: CallEnd = { ...SILENT, stage: 'verify' };
const QUERY_PENDING: CallEnd = { ...QUERY_SILENT, answered: true };
const QUERY_PAID: CallEnd = { ...PAID, stage: 'verify' };

/** Makes calls one after another. Returns for each whether the breaker opens. */
function ends(
  record: CallRecord,
  calls: readonly CallEnd[],
  { route = 'water', trial = null }: { route?: string; trial?: number | null } = {},
): boolean[] {
  return calls.map((end) => record.begin(route, { stage: end.stage, trial })(end));
}

describe('a closed breaker', () => {
  test('opens after enough failures in a row, and then with each further one until there is an answer', () => {
    const record = createCallRecord(3);
    expect(ends(record, [SILENT, QUERY_SILENT, SILENT, SILENT])).toEqual([
      false,
      false,
      true,
      true,
    ]);
    expect(ends(record, [PAID, SILENT, SILENT, QUERY_PENDING])).toEqual([
      false,
      false,
      false,
      false,
    ]);
    expect(ends(record, [SILENT, SILENT, SILENT])).toEqual([false, false, true]);
  });

  test('does not count the failures of other routes, or what was not sent', () => {
    const record = createCallRecord(2);
    expect(ends(record, [SILENT])).toEqual([false]);
    expect(ends(record, [SILENT, PAID], { route: 'power' })).toEqual([false, false]);
    expect(record.begin('water', { stage: 'send', trial: null })(null)).toBe(false);
    expect(ends(record, [SILENT])).toEqual([true]);
  });

  test('limits nothing', () => {
    const record = createCallRecord(1);
    record.begin('water', { stage: 'send', trial: null });
    expect(record.free('water', null)).toBe(Infinity);
  });
});

describe('a breaker on trial', () => {
  test('lets a few instructions through at a time; status queries take no place', () => {
    const record = createCallRecord(20);
    record.begin('water', { stage: 'send', trial: null });
    expect(record.free('water', 1)).toBe(TRIAL_INSTRUCTIONS);
    const end = record.begin('water', { stage: 'send', trial: 1 });
    record.begin('water', { stage: 'verify', trial: 1 });
    expect(record.free('water', 1)).toBe(TRIAL_INSTRUCTIONS - 1);
    expect(record.free('power', 1)).toBe(TRIAL_INSTRUCTIONS);
    end(null);
    expect(record.free('water', 1)).toBe(TRIAL_INSTRUCTIONS);
    for (let count = 0; count <= TRIAL_INSTRUCTIONS; count += 1) {
      record.begin('water', { stage: 'send', trial: 1 });
    }
    expect(record.free('water', 1)).toBe(0);
  });

  test('opens again after a few instructions without an answer', () => {
    const record = createCallRecord(20);
    expect(ends(record, [SILENT, SILENT, SILENT], { trial: 1 })).toEqual([false, false, true]);
    expect(ends(record, [SILENT, SILENT, SILENT], { trial: 2 })).toEqual([false, false, true]);
    expect(ends(createCallRecord(1), [SILENT], { trial: 1 })).toEqual([true]);
  });

  test('ignores status queries, unless they say how a payment ended', () => {
    const record = createCallRecord(20);
    const calls = [SILENT, QUERY_SILENT, SILENT, QUERY_PENDING, SILENT];
    expect(ends(record, calls, { trial: 1 })).toEqual([false, false, false, false, true]);
    expect(ends(record, [SILENT, SILENT, QUERY_PAID, SILENT], { trial: 2 })).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });

  test('calls that began before a trial do not count in it', () => {
    const record = createCallRecord(2);
    const early = [1, 2, 3].map(() => record.begin('water', { stage: 'send', trial: null }));
    expect(record.free('water', 1)).toBe(TRIAL_INSTRUCTIONS);
    expect(early.map((end) => end(SILENT))).toEqual([false, false, false]);
  });
});

describe('the pause of a breaker that opens', () => {
  test('the pause is twice the last one when the breaker opens from a trial, up to a limit', () => {
    const pauses = [5];
    for (let count = 0; count < 8; count += 1) {
      pauses.push(pauseMs({ baseMs: 5, trialOf: pauses.at(-1) ?? null, closed: null }));
    }
    expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 320, 320, 320]);
    const baseMs = 999_999_999;
    expect(pauseMs({ baseMs, trialOf: 2 * baseMs, closed: null })).toBe(2_147_483_647);
  });

  test('the pause is also twice the last one soon after the breaker closed', () => {
    const after = (agoMs: number): number =>
      pauseMs({ baseMs: 500, trialOf: null, closed: { agoMs, pauseMs: 2_000 } });
    expect([after(0), after(4_999), after(5_000)]).toEqual([4_000, 4_000, 500]);
    expect(pauseMs({ baseMs: 500, trialOf: null, closed: null })).toBe(500);
  });
});
