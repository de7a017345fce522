import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { PaymentInstruction, StatusQuery } from '../../src/connectors/operator-outcomes.ts';
import type { Connector } from '../../src/connectors/operator.ts';
import {
  connectorTo,
  startCallbackReceiver,
  startSimulatedOperators,
  readAll,
} from '../support/simulated-operators.ts';
import type { CallbackReceiver, SimulatedOperators } from '../support/simulated-operators.ts';

// The connector against the real process of the simulated operators: each documented suffix.

const never = new AbortController().signal;
let dataDir: string;
/** Executes soon. Ends a connection without an answer after a while. */
let operators: SimulatedOperators;
/** Executes accepted payments too late for a test to see. */
let lateOperators: SimulatedOperators;
let receiver: CallbackReceiver;
let connector: Connector;
let lateConnector: Connector;
let references = 0;

beforeAll(async () => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'operators-'));
  const soon = { 'callback-delay': 50, 'callback-repeat': 100, slow: 50, hold: 250 };
  const late = { 'callback-delay': 600_000, slow: 600_000, hold: 50 };
  [operators, lateOperators] = await Promise.all([
    startSimulatedOperators(path.join(dataDir, 'soon'), delays(soon)),
    startSimulatedOperators(path.join(dataDir, 'late'), delays(late)),
  ]);
});

afterAll(async () => {
  await Promise.all([operators.kill('SIGTERM'), lateOperators.kill('SIGTERM')]);
  rmSync(dataDir, { recursive: true });
});

beforeEach(async () => {
  receiver = await startCallbackReceiver();
  const callback = { callbackUrl: receiver.url };
  connector = connectorTo(`${operators.origin}/operators/simulated`, callback);
  lateConnector = connectorTo(`${lateOperators.origin}/operators/simulated`, callback);
});

afterEach(async () => {
  await connector.close();
  await lateConnector.close();
  await receiver.close();
});

function delays(values: Readonly<Record<string, number>>): string[] {
  return Object.entries(values).flatMap(([name, ms]) => [`--${name}-ms`, String(ms)]);
}

function instructionFor(
  account: string,
  changes: Partial<PaymentInstruction> = {},
): PaymentInstruction {
  references += 1;
  return {
    reference: `REF${references}`,
    attemptNumber: 1,
    operatorHandle: null,
    billerCode: 'safaricom',
    account,
    phone: null,
    amountCents: 100_00n,
    ...changes,
  };
}

function queryFor(instruction: PaymentInstruction): StatusQuery {
  return { ...instruction, operatorHandle: null };
}

async function paidTimes(
  { reference }: PaymentInstruction,
  payer: SimulatedOperators = operators,
): Promise<number> {
  return (await payer.truth()).filter((entry) => entry.reference === reference).length;
}

const PAID = {
  kind: 'paid',
  operatorReference: expect.stringMatching(/^OP[0-9A-F]{16}$/),
  amountCents: 100_00n,
  message: 'Payment received',
  details: {},
};
const UNHEARD = { kind: 'unknown', operatorHandle: null, answered: false };
const PROCESSING = { kind: 'unknown', operatorHandle: null, answered: true };

describe('each suffix of an account', () => {
  test.each(['0712009901', '0712000001'])(
    'an account that ends like %s is paid at once',
    async (account) => {
      const instruction = instructionFor(account);
      expect(await connector.pay(instruction, never)).toEqual(PAID);
      expect(await connector.status?.(queryFor(instruction), never)).toEqual(PAID);
      expect((await operators.truth()).at(-1)).toEqual({
        reference: instruction.reference,
        biller: 'safaricom',
        account,
        amount: '100.00',
        paid_at: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/),
      });
    },
  );

  test('9902: declined', async () => {
    const instruction = instructionFor('0712009902');
    const declined = {
      kind: 'declined',
      failureCode: 'declined',
      code: 'account_refused',
      message: expect.any(String),
    };
    expect(await connector.pay(instruction, never)).toEqual(declined);
    expect(await connector.status?.(queryFor(instruction), never)).toEqual(declined);
    expect(await paidTimes(instruction)).toBe(0);
  });

  test('9903: paid, reported by the status query only', async () => {
    const instruction = instructionFor('0712009903');
    expect(await connector.pay(instruction, never)).toMatchObject(UNHEARD);
    expect(await connector.status?.(queryFor(instruction), never)).toEqual(PAID);
    expect(await paidTimes(instruction)).toBe(1);
  });

  test('9904: not paid, reported by the status query only', async () => {
    const instruction = instructionFor('0712009904');
    expect(await connector.pay(instruction, never)).toMatchObject(UNHEARD);
    expect(await connector.status?.(queryFor(instruction), never)).toMatchObject({
      kind: 'declined',
    });
    expect(await paidTimes(instruction)).toBe(0);
  });

  test('9905: accepted, and being processed until then', async () => {
    const instruction = instructionFor('0712009905');
    const accepted = {
      kind: 'unknown',
      reason: 'accepted by the operator',
      operatorHandle: expect.stringMatching(/^OP/),
      answered: true,
    };
    expect(await lateConnector.pay(instruction, never)).toEqual(accepted);
    expect(await lateConnector.pay({ ...instruction, attemptNumber: 2 }, never)).toEqual(accepted);
    expect(await lateConnector.status?.(queryFor(instruction), never)).toMatchObject(PROCESSING);
    expect(await paidTimes(instruction, lateOperators)).toBe(0);
  });

  test('9905: paid later, reported by callback', async () => {
    const instruction = instructionFor('0712009905');
    expect(await connector.pay(instruction, never)).toMatchObject({ kind: 'unknown' });
    await receiver.count(1);
    expect(await readAll(receiver.received, connector)).toEqual([
      { kind: 'reports', reports: [{ reference: instruction.reference, outcome: PAID }] },
    ]);
    expect(await connector.status?.(queryFor(instruction), never)).toEqual(PAID);
    expect(await paidTimes(instruction)).toBe(1);
  });

  test('9906: the callback comes twice, and once more later', async () => {
    const instruction = instructionFor('0712009906');
    await connector.pay(instruction, never);
    await receiver.count(3);
    const report = { reference: instruction.reference, outcome: PAID };
    expect(await readAll(receiver.received, connector)).toEqual(
      [1, 2, 3].map(() => ({ kind: 'reports', reports: [report] })),
    );
    expect(new Set(receiver.received.map((request) => request.headers['webhook-id'])).size).toBe(1);
    expect(await paidTimes(instruction)).toBe(1);
  });

  test('9907: slow, then paid on each connection that waited', async () => {
    const instruction = instructionFor('0712009907');
    expect(
      await Promise.all([connector.pay(instruction, never), connector.pay(instruction, never)]),
    ).toEqual([PAID, PAID]);
    expect(await paidTimes(instruction)).toBe(1);
    // A payment whose answer arrived has no callback: the first callback is about the next payment.
    const next = instructionFor('0712009905');
    await connector.pay(next, never);
    await receiver.count(1);
    expect((await readAll(receiver.received, connector))[0]).toMatchObject({
      reports: [{ reference: next.reference }],
    });
  });

  test('9907: being processed while it is slow', async () => {
    const instruction = instructionFor('0712009907');
    expect(await lateConnector.pay(instruction, never)).toMatchObject(UNHEARD);
    expect(await lateConnector.status?.(queryFor(instruction), never)).toMatchObject(PROCESSING);
    expect(await paidTimes(instruction, lateOperators)).toBe(0);
  });

  test('9908: paid, but the answer is garbage', async () => {
    const instruction = instructionFor('0712009908');
    expect(await connector.pay(instruction, never)).toMatchObject(UNHEARD);
    expect(await connector.status?.(queryFor(instruction), never)).toEqual(PAID);
    expect(await paidTimes(instruction)).toBe(1);
  });

  test('9909: neither answer nor status', async () => {
    const instruction = instructionFor('0712009909');
    expect(await connector.pay(instruction, never)).toMatchObject(UNHEARD);
    expect(await connector.status?.(queryFor(instruction), never)).toMatchObject(UNHEARD);
    expect(await paidTimes(instruction)).toBe(0);
  });

  test('9910: the first instruction is lost, a repeat is paid', async () => {
    const instruction = instructionFor('0712009910');
    expect(await connector.pay(instruction, never)).toMatchObject(UNHEARD);
    expect(await connector.status?.(queryFor(instruction), never)).toEqual({ kind: 'not_found' });
    expect(await paidTimes(instruction)).toBe(0);
    expect(await connector.pay({ ...instruction, attemptNumber: 2 }, never)).toEqual(PAID);
    expect(await connector.status?.(queryFor(instruction), never)).toEqual(PAID);
    expect(await paidTimes(instruction)).toBe(1);
  });
});

describe('the reference', () => {
  test('a repeat gets the same answer and pays once', async () => {
    const instruction = instructionFor('0712000002', { billerCode: 'kplc_prepaid' });
    const answers = await Promise.all(
      [1, 2, 3, 4, 5].map((attemptNumber) =>
        connector.pay({ ...instruction, attemptNumber }, never),
      ),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer, textOfBigint))).size).toBe(1);
    expect(answers[0]).toMatchObject({ kind: 'paid' });
    expect(await paidTimes(instruction)).toBe(1);
  });

  test.each([
    { amountCents: 101_00n },
    { account: '0712000004' },
    { billerCode: 'airtel' },
    { phone: '0712345678' },
  ])('other content under it is a conflict: %o', async (changes) => {
    const instruction = instructionFor('0712000003');
    await connector.pay(instruction, never);
    expect(await connector.pay({ ...instruction, ...changes }, never)).toMatchObject({
      kind: 'unknown',
      reason: 'the operator has this reference with different content',
      answered: true,
    });
    expect(await connector.status?.(queryFor(instruction), never)).toEqual(PAID);
    expect(await paidTimes(instruction)).toBe(1);
  });

  test('a reference that was never sent is unknown', async () => {
    const query = queryFor(instructionFor('0712000005'));
    expect(await connector.status?.(query, never)).toEqual({ kind: 'not_found' });
  });

  test('belongs to one operator', async () => {
    const instruction = instructionFor('0712000006');
    const other = connectorTo(`${operators.origin}/operators/other`);
    await connector.pay(instruction, never);
    expect(await other.status?.(queryFor(instruction), never)).toEqual({ kind: 'not_found' });
    await other.pay(instruction, never);
    await other.close();
    // Two companies, two real payments: the truth must not hide it.
    expect(await paidTimes(instruction)).toBe(2);
  });
});

test('prepaid electricity yields a token of 20 digits and units', async () => {
  const instruction = instructionFor('37100001', {
    billerCode: 'kplc_prepaid',
    amountCents: 250_00n,
  });
  expect(await connector.pay(instruction, never)).toMatchObject({
    details: { token: expect.stringMatching(/^\d{20}$/), units: '10.00' },
  });
});

test.each([
  ['dstv', '12345', { kind: 'valid', amountDueCents: expect.any(BigInt) }],
  ['kplc_prepaid', '12345678901234', { kind: 'valid', amountDueCents: null }],
  ['dstv', '1234', { kind: 'invalid' }],
  ['dstv', '123456789012345', { kind: 'invalid' }],
  ['dstv', '1234567a', { kind: 'invalid' }],
  ['dstv', '12349902', { kind: 'invalid' }],
])('the operator validates %s %s as documented', async (billerCode, account, expected) => {
  const query = { billerCode, account, phone: '0712345678' };
  const answer = await connector.validate?.(query, never);
  expect(answer).toMatchObject(expected);
  if (answer?.kind === 'valid') expect(answer.name).toMatch(/^[A-Z][a-z]+ [A-Z][a-z]+$/);
});

async function balanceOf(of: Connector): Promise<bigint> {
  const answer = await of.balance?.(never);
  if (answer?.kind !== 'balance') throw new Error('no balance');
  return answer.balanceCents;
}

test('every paid amount lowers the balance', async () => {
  const quiet = connectorTo(`${operators.origin}/operators/quiet`);
  const before = await balanceOf(quiet);
  await quiet.pay(instructionFor('0712000007', { amountCents: 12_34n }), never);
  await quiet.pay(instructionFor('0712009902'), never);
  expect(before - (await balanceOf(quiet))).toBe(12_34n);
  await quiet.close();
});

test('requests signed with another key change nothing', async () => {
  const instruction = instructionFor('0712000008');
  const forger = connectorTo(`${operators.origin}/operators/simulated`, {
    key: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
  });
  expect(await forger.pay(instruction, never)).toMatchObject({
    ...UNHEARD,
    reason: 'HTTP 401 without a valid answer',
  });
  expect(await forger.balance?.(never)).toMatchObject({ kind: 'unknown' });
  await forger.close();
  expect(await paidTimes(instruction)).toBe(0);
  expect(await connector.status?.(queryFor(instruction), never)).toEqual({ kind: 'not_found' });
});

function textOfBigint(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
