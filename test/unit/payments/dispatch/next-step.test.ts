import { describe, expect, test } from 'vitest';
import type {
  PaymentOutcome,
  StatusOutcome,
} from '../../../../src/connectors/operator-outcomes.ts';
import {
  afterInstruction,
  afterStatusQuery,
  finalReport,
  leaseMsOf,
  provesAfterMsOf,
  SEND_WITHIN_MS,
} from '../../../../src/payments/dispatch/next-step.ts';
import type { NextStep, RetryPolicy } from '../../../../src/payments/dispatch/next-step.ts';
import type { Claim } from '../../../../src/payments/dispatch/store.ts';
import { newClaim } from '../../../support/claim.ts';
import {
  ACCEPTED,
  DECLINED,
  NOT_SENT,
  paid,
  PAUSED,
  SILENCE,
} from '../../../support/scripted-connector.ts';

const POLICY: RetryPolicy = {
  verifyFirstMs: 400,
  verifyMaxMs: 60_000,
  resendFirstMs: 1_000,
  resendMaxMs: 30_000,
};

const RULES = { policy: POLICY };

function askedFor(
  given: Partial<Claim>,
  outcome: StatusOutcome,
  windowMs: number | null,
  caseAfterMs: number | null = null,
): NextStep {
  return afterStatusQuery(newClaim({ stage: 'verify', ...given }), outcome, {
    policy: POLICY,
    provesAfterMs: windowMs,
    caseAfterMs,
  });
}

function progressOf(step: NextStep) {
  if (step.kind !== 'later') throw new Error('it was settled');
  return step.progress;
}

describe('the final report', () => {
  test('the report of a payment has what was paid, and details only when there are some', () => {
    const location = {
      vendorId: 7,
      paymentId: 'x',
      billerCode: 'dstv',
      operatorCode: 'multichoice',
    };
    expect(finalReport(location, paid({ amountCents: 4n }), 'callback')).toEqual({
      ...location,
      outcome: 'success',
      paidCents: 4n,
      billerReference: 'OP1',
      message: 'Paid',
      details: null,
      failureCode: null,
      source: 'callback',
    });
    const withToken = { ...paid({ amountCents: 4n }), details: { token: '1' } };
    expect(finalReport(location, withToken, 'status').details).toEqual({ token: '1' });
  });

  test('the report of a refusal has neither amount nor reference', () => {
    expect(
      finalReport(
        { vendorId: 7, paymentId: 'x', billerCode: 'dstv', operatorCode: 'multichoice' },
        DECLINED,
        'answer',
      ),
    ).toEqual({
      vendorId: 7,
      paymentId: 'x',
      billerCode: 'dstv',
      operatorCode: 'multichoice',
      outcome: 'failed',
      paidCents: null,
      billerReference: null,
      message: 'No such account',
      details: null,
      failureCode: 'invalid_account',
      source: 'answer',
    });
  });
});

describe('a case for people', () => {
  test.each<[string, StatusOutcome, { window?: number; after: number | null }, boolean]>([
    ['unknown, late', SILENCE, { after: 5_000 }, true],
    ['unknown, in time', SILENCE, { after: 5_001 }, false],
    ['unknown, but people open it themselves', SILENCE, { after: null }, false],
    ['not found, which is never proof', { kind: 'not_found' }, { after: 5_000 }, true],
    ['not found, which is proof', { kind: 'not_found' }, { window: 1_000, after: 5_000 }, false],
  ])('%s', (_what, outcome, { window = null, after }, opens) => {
    const step = askedFor({ attemptAgeMs: 5_000 }, outcome, window, after);
    expect(step.kind === 'later' && step.opensCase === true).toBe(opens);
  });
});

describe('after an instruction', () => {
  test.each<[string, PaymentOutcome, 'success' | 'failed']>([
    ['paid', paid({ amountCents: 10_000n }), 'success'],
    ['declined', DECLINED, 'failed'],
  ])('%s settles', (_, outcome, expected) => {
    expect(afterInstruction(newClaim(), outcome, RULES)).toMatchObject({
      kind: 'settle',
      report: { outcome: expected, source: 'answer' },
    });
  });

  test.each([
    ['not executed', NOT_SENT],
    ['not executed, and paused', PAUSED],
  ])('%s allows another', (_, outcome) => {
    expect(progressOf(afterInstruction(newClaim(), outcome, RULES))).toMatchObject({
      next: 'send',
      note: outcome.reason,
      delayMs: 1_000,
    });
  });

  test.each([
    ['no answer', SILENCE, null],
    ['accepted', ACCEPTED, 'handle-1'],
  ])('%s is verified, and never sent again for that', (_, outcome, operatorHandle) => {
    expect(progressOf(afterInstruction(newClaim(), outcome, RULES))).toMatchObject({
      next: 'verify',
      note: outcome.reason,
      delayMs: 400,
      operatorHandle,
    });
  });

  test('each pause before another instruction is longer than the last, up to the maximum', () => {
    const delays = [1, 2, 3, 6, 40, 32_767].map(
      (attemptNumber) =>
        progressOf(afterInstruction(newClaim({ attemptNumber }), NOT_SENT, RULES)).delayMs,
    );
    expect(delays).toEqual([1_000, 2_000, 4_000, 30_000, 30_000, 30_000]);
  });
});

describe('after a status query', () => {
  test.each<[string, StatusOutcome, 'success' | 'failed']>([
    ['paid', paid({ amountCents: 10_000n }), 'success'],
    ['declined', DECLINED, 'failed'],
  ])('%s settles', (_, outcome, expected) => {
    expect(askedFor({}, outcome, 0)).toMatchObject({
      kind: 'settle',
      report: { outcome: expected, source: 'status' },
    });
  });

  test('no answer is never proof, however old the instruction', () => {
    for (const windowMs of [0, 60_000, null]) {
      const step = askedFor({ attemptAgeMs: 1e12, verifyCount: 1_000 }, SILENCE, windowMs);
      expect(progressOf(step)).toMatchObject({ next: 'verify', delayMs: 60_000 });
    }
  });

  test('each pause before the next query is longer than the last, up to the maximum', () => {
    const delays = [1, 2, 3, 8, 1_000].map(
      (verifyCount) => progressOf(askedFor({ verifyCount }, SILENCE, 0)).delayMs,
    );
    expect(delays).toEqual([800, 1_600, 3_200, 60_000, 60_000]);
  });

  test.each([
    [999, 'verify'],
    [1_000, 'send'],
    [1_001, 'send'],
  ])(
    '“not found” %d ms after the instruction, with a window of a second, is followed by: %s',
    (ageMs, next) => {
      const step = askedFor({ attemptAgeMs: ageMs }, { kind: 'not_found' }, 1_000);
      expect(progressOf(step).next).toBe(next);
    },
  );

  test('“not found” within the window is followed by another query when it is over', () => {
    const step = askedFor({ attemptAgeMs: 2_000 }, { kind: 'not_found' }, 60_000);
    expect(progressOf(step)).toMatchObject({ next: 'verify', delayMs: 58_000 });
  });

  test('“not found” proves nothing, ever, with an operator that forgets', () => {
    const step = askedFor({ attemptAgeMs: 1e12 }, { kind: 'not_found' }, null);
    expect(progressOf(step)).toMatchObject({ next: 'verify', delayMs: 400 });
  });

  test('no answer has no handle, which leaves the one that is stored', () => {
    const step = askedFor({ operatorHandle: 'H1' }, SILENCE, 0);
    expect(progressOf(step).operatorHandle).toBeNull();
  });
});

describe('an instruction of two steps that leaves us at the last moment', () => {
  const PREPARE_MS = 10_000;
  const PAY_MS = 30_000;
  const connector = {
    payDeadlineMs: PAY_MS,
    acceptanceWindowMs: 5_000,
    prepare: {
      deadlineMs: PREPARE_MS,
      prepare: async () => await Promise.reject(new Error('not called')),
    },
  };
  // The worker begins no step later, counted from the claim (`worker.ts`).
  const endsAtMs = SEND_WITHIN_MS + PREPARE_MS + PAY_MS;

  test('“not found” proves nothing until its acceptance window is over', () => {
    expect(provesAfterMsOf(connector)).toBe(endsAtMs + 5_000);
    expect(provesAfterMsOf({ ...connector, acceptanceWindowMs: null })).toBeNull();
  });

  test('nobody else claims the payment before it has ended', () => {
    expect(leaseMsOf(connector)).toBeGreaterThan(endsAtMs);
  });
});
