import { pino } from 'pino';
import { describe, expect, test, vi } from 'vitest';
import type { Claim, Progress } from '../../../../src/payments/dispatch/store.ts';
import { carryOut } from '../../../../src/payments/dispatch/worker.ts';
import type { CallEnd } from '../../../../src/payments/dispatch/worker.ts';
import type { FinalReport, SettleResult } from '../../../../src/payments/create/payment.ts';
import { newClaim } from '../../../support/claim.ts';
import { manualTimers } from '../../../support/manual-timers.ts';
import {
  createScriptedConnector,
  DECLINED,
  NO_CONNECTION,
  NOT_SENT,
  paid,
  PAUSED,
  SILENCE,
} from '../../../support/scripted-connector.ts';
import type { ScriptedConnector } from '../../../support/scripted-connector.ts';

// One claim, without a database: the calls, what is written, and when the worker gives up.

const CLAIM = newClaim();

function startWork(
  connector: ScriptedConnector,
  given: {
    readonly claim?: Claim;
    readonly sendBeforeMs?: number;
    readonly cutOff?: AbortController;
    readonly result?: SettleResult;
    readonly saveHandle?: (claim: Claim, handle: string) => Promise<boolean>;
  } = {},
) {
  const { claim = CLAIM, sendBeforeMs = 3_000, cutOff = new AbortController() } = given;
  const { result = 'settled' } = given;
  const unexplained: FinalReport[] = [];
  const timers = manualTimers();
  const settled: FinalReport[] = [];
  const cases: string[] = [];
  const progress: Progress[] = [];
  const ends: CallEnd[] = [];
  const done = carryOut(claim, connector, {
    policy: { verifyFirstMs: 1, verifyMaxMs: 1, resendFirstMs: 1, resendMaxMs: 1 },
    settler: {
      settle: async (report): Promise<SettleResult> => {
        settled.push(report);
        return result;
      },
      waiting: 0,
      idle: async () => undefined,
    },
    writeProgress: async (item) => progress.push(item),
    saveHandle: given.saveHandle ?? (async () => true),
    openNoAnswerCase: async (_claim, note) => cases.push(note),
    keepUnexplained: async (report) => unexplained.push(report),
    timers,
    awakeTimers: timers,
    log: pino({ level: 'silent' }),
    signal: cutOff.signal,
    sendBeforeMs,
    onCallEnd: (end) => ends.push(end),
  });
  return { timers, cutOff, cases, settled, unexplained, progress, ends, done };
}

const VERIFYING: Claim = { ...CLAIM, stage: 'verify', verifyCount: 1 };

describe('a worker', () => {
  test('instructs, and settles the operator’s result', async () => {
    const operator = createScriptedConnector({ pay: paid });
    const work = startWork(operator);
    await work.done;
    expect(operator.instructions).toHaveLength(1);
    expect(work.settled).toMatchObject([{ outcome: 'success', source: 'answer' }]);
    expect(work.progress).toEqual([]);
    expect(work.ends).toEqual([
      { stage: 'send', result: 'paid', answered: true, pausedReason: null },
    ]);
  });

  test.each([
    ['no_payment', 1],
    ['repeated', 0],
  ] as const)('a report with the result “%s” counts %i as unexplained', async (result, count) => {
    const work = startWork(createScriptedConnector({ pay: paid }), { result });
    await work.done;
    expect(work.unexplained).toEqual(work.settled.slice(0, count));
    expect(work.settled).toHaveLength(1);
  });

  test('does not send when it is too late: another process may already be asking', async () => {
    const operator = createScriptedConnector({ pay: paid });
    const work = startWork(operator, { sendBeforeMs: -1 });
    await work.done;
    expect(operator.instructions).toEqual([]);
    expect(work.progress).toMatchObject([{ next: 'send', claim: { claimNumber: 1 } }]);
    expect(work.settled).toEqual([]);
    expect(work.ends).toEqual([]);
  });

  test('queries even when it is late: a query does no harm', async () => {
    const operator = createScriptedConnector({ pay: paid, status: paid });
    const work = startWork(operator, { claim: VERIFYING, sendBeforeMs: -1 });
    await work.done;
    expect(operator.instructions).toEqual([]);
    expect(work.settled).toMatchObject([{ outcome: 'success', source: 'status' }]);
  });

  test.each([
    [11_999, 'verify'],
    [12_000, 'send'],
  ])(
    'takes “not found” for proof by the last moment the instruction can have left: %i ms, then %s',
    async (attemptAgeMs, next) => {
      const operator = createScriptedConnector({
        pay: paid,
        status: () => ({ kind: 'not_found' }),
        payDeadlineMs: 5_000,
        acceptanceWindowMs: 4_000,
      });
      const work = startWork(operator, { claim: { ...VERIFYING, attemptAgeMs } });
      await work.done;
      expect(work.progress).toMatchObject([{ next }]);
    },
  );

  test('sends again what a status query proves not executed, and pauses the operator', async () => {
    const operator = createScriptedConnector({ pay: paid, status: () => PAUSED });
    const work = startWork(operator, { claim: VERIFYING });
    await work.done;
    expect(work.progress).toMatchObject([{ next: 'send', note: PAUSED.reason }]);
    expect(work.ends).toEqual([
      { stage: 'verify', result: 'not_sent', answered: true, pausedReason: PAUSED.reason },
    ]);
  });

  test('commits the handle of the first step before the second is sent', async () => {
    const order: string[] = [];
    const operator = createScriptedConnector({
      prepare: {
        deadlineMs: 1_000,
        prepare: async () => {
          order.push('prepare');
          return { kind: 'prepared', operatorHandle: 'T-1' };
        },
      },
      pay: ({ operatorHandle, amountCents }) => {
        order.push(`pay ${operatorHandle}`);
        return paid({ amountCents });
      },
    });
    const work = startWork(operator, {
      saveHandle: async (_claim, handle) => {
        order.push(`save ${handle}`);
        return true;
      },
    });
    await work.done;
    expect(order).toEqual(['prepare', 'save T-1', 'pay T-1']);
    expect(work.settled).toMatchObject([{ outcome: 'success' }]);
  });

  test.each<[string, () => Promise<boolean>]>([
    ['is no longer ours', async () => false],
    ['cannot be written', async () => await Promise.reject(new Error('no database'))],
  ])('sends no second step when the claim %s', async (_what, saveHandle) => {
    const operator = createScriptedConnector({
      prepare: {
        deadlineMs: 1_000,
        prepare: async () => ({ kind: 'prepared', operatorHandle: 'T-1' }),
      },
      pay: paid,
    });
    const work = startWork(operator, { saveHandle });
    await work.done;
    expect(operator.instructions).toEqual([]);
    expect(work.progress).toMatchObject([{ next: 'send' }]);
  });

  test('sends no second step when the first one took too long', async () => {
    const operator = createScriptedConnector({
      prepare: {
        deadlineMs: 1_000,
        prepare: async () => ({ kind: 'prepared', operatorHandle: 'T-1' }),
      },
      pay: paid,
    });
    const work = startWork(operator, {
      saveHandle: async () => {
        work.timers.pass(4_001);
        return true;
      },
    });
    await work.done;
    expect(operator.instructions).toEqual([]);
    expect(work.progress).toMatchObject([{ next: 'send' }]);
  });

  test.each<[string, () => Promise<typeof DECLINED | typeof NOT_SENT>, string]>([
    ['declined', async () => DECLINED, 'settled'],
    ['not taken', async () => NOT_SENT, 'send'],
    ['broken', async () => await Promise.reject(new Error('broken')), 'send'],
  ])('a first step that is %s moved no money', async (_what, prepare, next) => {
    const operator = createScriptedConnector({
      prepare: { deadlineMs: 1_000, prepare },
      pay: paid,
    });
    const work = startWork(operator);
    await work.done;
    expect(operator.instructions).toEqual([]);
    expect(work.settled.length === 1 ? 'settled' : work.progress[0]?.next).toBe(next);
  });

  test.each([
    [999, []],
    [1_000, ['no answer']],
  ])('a payment without an outcome after %i ms opens the cases %j', async (attemptAgeMs, cases) => {
    const operator = createScriptedConnector({
      pay: paid,
      status: () => SILENCE,
      caseAfterMs: 1_000,
    });
    const work = startWork(operator, { claim: { ...VERIFYING, attemptAgeMs } });
    await work.done;
    expect(work.progress).toMatchObject([{ next: 'verify' }]);
    expect(work.cases).toEqual(cases);
  });

  test('gives up a connector that has not returned by its deadline', async () => {
    const operator = createScriptedConnector({
      payDeadlineMs: 500,
      pay: async () => await new Promise(() => undefined),
    });
    const work = startWork(operator);
    work.timers.pass(1_499);
    await vi.waitFor(() => expect(operator.instructions).toHaveLength(1));
    expect(work.ends).toEqual([]);
    work.timers.pass(1);
    await work.done;
    expect(work.progress).toMatchObject([{ next: 'verify', note: 'the connector did not return' }]);
    expect(work.ends).toEqual([
      {
        ...{ stage: 'send', result: 'unknown', answered: false, pausedReason: null },
        failure: 'the connector did not return',
      },
    ]);
  });

  test('accepts the answer of a connector that was cut off', async () => {
    const operator = createScriptedConnector({
      pay: async (_, signal) =>
        await new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve(NO_CONNECTION));
        }),
    });
    const work = startWork(operator);
    work.cutOff.abort();
    await work.done;
    expect(work.progress).toMatchObject([{ next: 'send', note: NO_CONNECTION.reason }]);
  });

  test.each([
    ['before', true],
    ['during', false],
  ])('does not wait for a connector that ignores its cut-off (%s the call)', async (_, before) => {
    const operator = createScriptedConnector({
      pay: paid,
      payDeadlineMs: 3_600_000,
      status: async () => await new Promise(() => undefined),
    });
    const cutOff = new AbortController();
    if (before) cutOff.abort();
    const work = startWork(operator, { claim: VERIFYING, cutOff });
    await vi.waitFor(() => expect(operator.queries).toHaveLength(1));
    cutOff.abort();
    work.timers.pass(200);
    await work.done;
    expect(work.progress).toMatchObject([{ next: 'verify', note: 'aborted by a stop' }]);
  });

  test.each([
    ['well-formed', NOT_SENT, true, null],
    ['missing', NO_CONNECTION, false, null],
    ['a pause', PAUSED, true, PAUSED.reason],
    ['unknown', SILENCE, false, null],
  ] as const)('reports an answer that is %s to the breaker', async (...given) => {
    const [, outcome, answered, pausedReason] = given;
    const work = startWork(createScriptedConnector({ pay: () => outcome }));
    await work.done;
    expect(work.ends).toMatchObject([
      { stage: 'send', result: outcome.kind, answered, pausedReason },
    ]);
  });

  test('does not inform the breaker if no operator was asked', async () => {
    const work = startWork(createScriptedConnector({ pay: paid }), { claim: VERIFYING });
    await work.done;
    expect(work.ends).toEqual([]);
    expect(work.progress).toMatchObject([{ next: 'verify' }]);
  });
});
