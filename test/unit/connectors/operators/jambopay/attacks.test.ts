import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { JambopayEmulator } from '../../../../../sandbox/providers/jambopay/emulator.ts';
import { jambopay } from '../../../../../src/connectors/operators/jambopay/protocol.ts';
import type {
  CallbackReport,
  PaymentFinder,
} from '../../../../../src/connectors/operator-callbacks.ts';
import type { PaymentInstruction } from '../../../../../src/connectors/operator-outcomes.ts';
import type { Connector } from '../../../../../src/connectors/operator.ts';
import { startReceiver } from '../../../../conformance/receiver.ts';
import type { Receiver } from '../../../../conformance/receiver.ts';

const SECRET = JSON.stringify({ username: 'agent', password: 'pass', app_key: 'key' });
const SIGNAL = new AbortController().signal;

let emulator: JambopayEmulator;
let server: Server;
let receiver: Receiver;
let connector: Connector;

beforeEach(async () => {
  emulator = new JambopayEmulator({
    username: 'agent',
    password: 'pass',
    appKey: 'key',
    callbackAfterMs: 1,
    errors: 'code_field',
    // The worse of the two behaviours: a second commit pays twice.
    secondCommit: 'executes',
  });
  server = createServer(emulator.listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  receiver = await startReceiver();
  connector = jambopay.create(
    {
      operatorCode: 'jambo',
      connector: 'jambopay',
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      settings: {
        billers: {
          kplc_prepaid: { stream: 'kplc' },
          water: { stream: 'nairobiwater' },
          airtime: { stream: 'credit', operator_code: '4' },
        },
        phone_number: '254700000001',
        code_field: 'ErrorCode',
        pay_timeout_ms: 2_000,
      },
      maxConcurrency: 4,
      secrets: [{ secret: SECRET, validUntil: null }],
      secret: SECRET,
    },
    receiver.url,
  );
});
afterEach(async () => {
  await connector.close();
  server.closeAllConnections();
  server.close();
  await receiver.close();
});

function bill(account: string, changes: Partial<PaymentInstruction> = {}): PaymentInstruction {
  return {
    reference: `R${account}`,
    attemptNumber: 1,
    billerCode: 'kplc_prepaid',
    account,
    phone: null,
    amountCents: 500_00n,
    operatorHandle: null,
    ...changes,
  };
}

async function prepare(instruction: PaymentInstruction): Promise<PaymentInstruction> {
  const prepared = await connector.prepare?.prepare(instruction, SIGNAL);
  if (prepared?.kind !== 'prepared') throw new Error(`not prepared: ${prepared?.kind}`);
  return { ...instruction, operatorHandle: prepared.operatorHandle };
}

function finderOf(...sent: PaymentInstruction[]): PaymentFinder {
  return {
    byReference: async (reference) => {
      const found = sent.find((one) => one.reference === reference);
      return found && { ...found, isOpen: true };
    },
    byHandle: async () => undefined,
  };
}

async function reportsOf(sent: PaymentInstruction): Promise<readonly CallbackReport[]> {
  await emulator.later.quiet();
  const all: CallbackReport[] = [];
  for (const request of receiver.take()) {
    const reading = await connector.callbacks?.read(request, finderOf(sent));
    if (reading?.kind === 'reports') all.push(...reading.reports);
  }
  return all;
}

test('commits once, with a new token, when the token expires between prepare and commit', async () => {
  const sent = await prepare(bill('00009901'));
  emulator.expireTokens();
  expect(await connector.pay(sent, SIGNAL)).toMatchObject({ kind: 'paid' });
  expect(emulator.truth()).toHaveLength(1);
});

test('an unanswered commit is unknown, and asking about it never commits again', async () => {
  const sent = await prepare(bill('00009903'));
  expect(await connector.pay(sent, SIGNAL)).toMatchObject({ kind: 'unknown' });
  for (let time = 0; time < 5; time += 1) {
    expect(await connector.status?.(sent, SIGNAL)).toMatchObject({ kind: 'unknown' });
  }
  expect(emulator.truth()).toHaveLength(1);
});

test('“already completed” is no failure and no success', async () => {
  const sent = await prepare(bill('00009918'));
  expect(await connector.pay(sent, SIGNAL)).toMatchObject({
    kind: 'unknown',
    reason: '1053: already completed',
    answered: true,
  });
});

test('a prepare that answers for another account is never committed', async () => {
  const prepared = await connector.prepare?.prepare(bill('00009920'), SIGNAL);
  expect(prepared).toMatchObject({ kind: 'not_sent' });
  expect(emulator.truth()).toEqual([]);
});

test('a transaction of another payment, replayed as ours, does not pass for ours', async () => {
  const other = await prepare(bill('11119901'));
  expect(await connector.pay({ ...bill('22229901'), ...handle(other) }, SIGNAL)).toMatchObject({
    kind: 'unknown',
    reason: 'the answer is about another account',
  });
});

function handle({
  operatorHandle,
}: PaymentInstruction): Pick<PaymentInstruction, 'operatorHandle'> {
  return { operatorHandle };
}

describe('callbacks', () => {
  test('“completed” settles only when the answer with the token can no longer come', async () => {
    const sent = await prepare(bill('00009903'));
    await connector.pay(sent, SIGNAL);
    const [report] = await reportsOf(sent);
    expect(report?.outcome).toMatchObject({ kind: 'hint', says: { kind: 'paid' } });
    const operatorHandle = report?.outcome.kind === 'hint' ? report.outcome.operatorHandle : null;
    const [transactionId, atMs, receipt] = (operatorHandle ?? '').split(':');
    expect(transactionId).toBe(sent.operatorHandle);
    const asked = async (ageMs: number) =>
      await connector.status?.(
        { ...sent, operatorHandle: `${transactionId}:${Date.now() - ageMs}:${receipt}` },
        SIGNAL,
      );
    expect(Number(atMs)).toBeGreaterThan(0);
    expect(await asked(0)).toMatchObject({ kind: 'unknown' });
    expect(await asked(2_000)).toMatchObject({
      kind: 'paid',
      operatorReference: 'KP0000001',
      amountCents: 500_00n,
    });
  });

  test('a repeated “completed” does not put off the result: the first one counts', async () => {
    const sent = await prepare(bill('00009903'));
    await connector.pay(sent, SIGNAL);
    await emulator.later.quiet();
    const [request] = receiver.take();
    if (request === undefined) throw new Error('there is no callback');
    const operatorHandle = `${sent.operatorHandle}:1000:KP0000001`;
    const known = finderOf({ ...sent, operatorHandle });
    expect(await connector.callbacks?.read(request, known)).toMatchObject({
      reports: [{ outcome: { kind: 'hint', operatorHandle } }],
    });
  });

  test('a callback that has a name twice is kept for people', async () => {
    const sent = await prepare(bill('00009903'));
    await connector.pay(sent, SIGNAL);
    await emulator.later.quiet();
    const [request] = receiver.take();
    if (request === undefined) throw new Error('there is no callback');
    const body = Buffer.from(request.body.toString().replace('{', '{"Amount":"1.00",'));
    expect(await connector.callbacks?.read({ ...request, body }, finderOf(sent))).toMatchObject({
      reports: [{ reference: sent.reference, outcome: { kind: 'mismatch', says: null } }],
    });
  });

  test('the callback may overtake the answer: the answer still brings the token', async () => {
    const sent = await prepare(bill('00009919'));
    expect(await connector.pay(sent, SIGNAL)).toMatchObject({
      kind: 'paid',
      details: { token: '00001111222233334444' },
    });
    const [report] = await reportsOf(sent);
    expect(report?.outcome).toMatchObject({ kind: 'hint' });
  });

  test('refunded: the money is back', async () => {
    const sent = await prepare(bill('00009915'));
    await connector.pay(sent, SIGNAL);
    expect((await reportsOf(sent)).map(({ outcome }) => outcome.kind)).toEqual(['reversed']);
  });

  test('people decide about a part that was refunded', async () => {
    const sent = await prepare(bill('00009921'));
    await connector.pay(sent, SIGNAL);
    const kinds = (await reportsOf(sent)).map(({ outcome }) => outcome.kind);
    expect(kinds.toSorted()).toEqual(['hint', 'mismatch']);
  });

  test('people decide about a callback for another attempt, transaction, account or amount', async () => {
    const sent = await prepare(bill('00009901'));
    await connector.pay(sent, SIGNAL);
    await emulator.later.quiet();
    const [request] = receiver.take();
    if (request === undefined) throw new Error('no callback');
    for (const changes of [
      { attemptNumber: 2 },
      { operatorHandle: 'JP0000000099' },
      { operatorHandle: null },
      { account: '00009999' },
      { amountCents: 499_00n },
    ]) {
      const reading = await connector.callbacks?.read(request, finderOf({ ...sent, ...changes }));
      expect(reading).toMatchObject({ reports: [{ outcome: { kind: 'mismatch' } }] });
    }
  });

  test.each([
    ['cancelled without a refund', { TransactionStatus: 'cancelled', Action: 'Token Vending' }],
    ['completed, yet refunded', { TransactionStatus: 'completed', Action: 'Agent Refunded' }],
    ['any other status', { TransactionStatus: 'pending' }],
  ])('%s proves nothing', async (_what, changes) => {
    const sent = await prepare(bill('00009901'));
    await connector.pay(sent, SIGNAL);
    await emulator.later.quiet();
    const [request] = receiver.take();
    const content = JSON.parse(request?.body.toString() ?? '') as object;
    const body = Buffer.from(JSON.stringify({ ...content, ...changes }));
    const altered = { headers: {}, path: request?.path ?? '', body };
    const reading = await connector.callbacks?.read(altered, finderOf(sent));
    expect(reading).toEqual({ kind: 'reports', reports: [] });
  });

  test('“completed” with an amount that cannot be read is kept for people', async () => {
    const sent = await prepare(bill('00009901'));
    await connector.pay(sent, SIGNAL);
    await emulator.later.quiet();
    const [request] = receiver.take();
    const content = JSON.parse(request?.body.toString() ?? '') as object;
    const body = Buffer.from(JSON.stringify({ ...content, Amount: 'five hundred' }));
    const altered = { headers: {}, path: request?.path ?? '', body };
    expect(await connector.callbacks?.read(altered, finderOf(sent))).toEqual({
      kind: 'unreadable',
      reference: sent.reference,
      problem: 'it is completed, and its amount cannot be read',
    });
  });
});

test.each([
  ['water', '00001234', { kind: 'paid', details: { receiver: 'TEST CUSTOMER' } }],
  ['airtime', '254711001234', { kind: 'paid' }],
])('%s is paid without callbacks', async (billerCode, account, outcome) => {
  const sent = await prepare(bill(account, { billerCode }));
  expect(await connector.pay(sent, SIGNAL)).toMatchObject(outcome);
  await emulator.later.quiet();
  expect(receiver.take()).toEqual([]);
});

test('water below 50 is declined before anything is sent', async () => {
  const low = bill('00001234', { billerCode: 'water', amountCents: 49_99n });
  expect(await connector.prepare?.prepare(low, SIGNAL)).toMatchObject({
    kind: 'declined',
    failureCode: 'amount_not_allowed',
  });
});

test('a terse answer with the token as a number is understood', async () => {
  const sent = await prepare(bill('00009917'));
  expect(await connector.pay(sent, SIGNAL)).toMatchObject({
    details: { token: '00001111222233334444', units: '19.8 kWh' },
  });
});
