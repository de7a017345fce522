import { expect, test } from 'vitest';
import { isOurSilence } from '../../../../src/payments/dispatch/call-clock.ts';
import type { CallEnd } from '../../../../src/payments/dispatch/worker.ts';

const SILENT: CallEnd = {
  stage: 'send',
  result: 'unknown',
  answered: false,
  failure: 'no answer in time',
  pausedReason: null,
};

test.each([
  [SILENT, 499, false],
  [SILENT, 500, true],
  [{ ...SILENT, answered: true }, 5_000, false],
  [null, 5_000, false],
])(
  'an unanswered call is our silence only if the process slept through half of its deadline',
  (end, sleptMs, expected) => {
    expect(isOurSilence(end, sleptMs, 1_000)).toBe(expected);
  },
);
