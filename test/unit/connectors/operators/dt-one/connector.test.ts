import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DtOneEmulator } from '../../../../../sandbox/providers/dt-one/emulator.ts';
import { createGateway } from '../../../../../sandbox/providers/dt-one/listener.ts';
import { dtOne } from '../../../../../src/connectors/operators/dt-one/protocol.ts';
import { newId } from '../../../../../src/platform/base/ids.ts';
import { encodeReference } from '../../../../../src/parties/reference.ts';
import type { PaymentFinder } from '../../../../../src/connectors/operator-callbacks.ts';
import type { PaymentInstruction } from '../../../../../src/connectors/operator-outcomes.ts';
import type { StatementPage } from '../../../../../src/connectors/operator-statements.ts';
import type { Connector } from '../../../../../src/connectors/operator.ts';
import { startReceiver } from '../../../../conformance/receiver.ts';
import type { Receiver } from '../../../../conformance/receiver.ts';

const SECRET = JSON.stringify({ api_key: 'key', api_secret: 'secret' });
const SIGNAL = new AbortController().signal;
const OPERATOR = {
  operatorCode: 'dtone',
  name: 'DT One',
  connector: 'dt-one',
  baseUrl: 'http://127.0.0.1:9/v1',
  settings: {
    billers: {
      kplc_prepaid: { product_id: 1001, statement_inquiry: true },
      airtime: { products: { '100': 1002 }, identifier: 'mobile_number' },
    },
    pay_timeout_ms: 2_000,
  } as Record<string, unknown>,
  maxConcurrency: 4,
  maxPerSecond: null,
  secrets: [{ secret: SECRET, validUntil: null }],
  secret: SECRET,
};

let emulator: DtOneEmulator;
let server: Server;
let receiver: Receiver;
let connector: Connector;

beforeEach(async () => {
  emulator = new DtOneEmulator({ apiKey: 'key', apiSecret: 'secret', speed: 0, lateLookups: 0 });
  server = createServer(createGateway(emulator).listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  receiver = await startReceiver();
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  connector = dtOne.create({ ...OPERATOR, baseUrl }, receiver.url);
});
afterEach(async () => {
  await connector.close();
  server.closeAllConnections();
  server.close();
  await receiver.close();
});

function bill(account: string, changes: Partial<PaymentInstruction> = {}): PaymentInstruction {
  return {
    reference: encodeReference(7, newId()),
    attemptNumber: 1,
    billerCode: 'kplc_prepaid',
    account,
    phone: null,
    amountCents: 100_00n,
    operatorHandle: null,
    ...changes,
  };
}

async function prepare(instruction: PaymentInstruction): Promise<PaymentInstruction> {
  const prepared = await connector.prepare?.prepare(instruction, SIGNAL);
  if (prepared?.kind !== 'prepared') throw new Error(`not prepared: ${prepared?.kind}`);
  return { ...instruction, operatorHandle: prepared.operatorHandle };
}

const ask = async (query: PaymentInstruction) => await connector.status?.(query, SIGNAL);

describe('two steps', () => {
  test('confirmed twice: the second is no failure, and nothing is paid twice', async () => {
    const sent = await prepare(bill('00009901'));
    await connector.pay(sent, SIGNAL);
    expect(await connector.pay(sent, SIGNAL)).toMatchObject({ kind: 'unknown', answered: true });
    await emulator.later.quiet();
    expect(await ask(sent)).toMatchObject({ kind: 'paid', details: { serial: 'S1' } });
    expect(emulator.truth()).toHaveLength(1);
  });

  test('an unconfirmed one is cancelled: proof, and a late confirmation does nothing', async () => {
    const sent = await prepare(bill('00009901'));
    expect(await ask(sent)).toEqual({ kind: 'not_found' });
    expect(await connector.pay(sent, SIGNAL)).toMatchObject({ kind: 'not_sent' });
    await emulator.later.quiet();
    expect(emulator.truth()).toEqual([]);
  });

  test('prepared, and the handle was lost: cancelled by our external_id', async () => {
    const sent = await prepare(bill('00009901'));
    expect(await ask({ ...sent, operatorHandle: null })).toEqual({ kind: 'not_found' });
    expect(await connector.pay(sent, SIGNAL)).toMatchObject({ kind: 'not_sent' });
  });

  test('it expires between prepare and commit: not sent', async () => {
    const sent = await prepare(bill('00009901'));
    emulator.expire();
    expect(await connector.pay(sent, SIGNAL)).toMatchObject({ kind: 'not_sent' });
    expect(await ask(sent)).toEqual({ kind: 'not_found' });
  });

  test('a confirmation without an answer is looked up', async () => {
    const sent = await prepare(bill('00009903'));
    expect(await connector.pay(sent, SIGNAL)).toMatchObject({ kind: 'unknown' });
    await emulator.later.quiet();
    expect(await ask(sent)).toMatchObject({ kind: 'paid', amountCents: 100_00n });
  });

  test('an external_id that is taken, as after a restored backup: asked, never confirmed', async () => {
    const first = await prepare(bill('00009901'));
    await connector.pay(first, SIGNAL);
    await emulator.later.quiet();
    const again = await prepare({ ...first, operatorHandle: null });
    expect(again.operatorHandle).toBe(`${first.reference}-1`);
    expect(await connector.pay(again, SIGNAL)).toMatchObject({ kind: 'unknown' });
    expect(await ask(again)).toMatchObject({ kind: 'paid' });
    expect(emulator.truth()).toHaveLength(1);
  });

  test('a taken external_id that is not listed is no proof', async () => {
    const sent = bill('00009901');
    const taken = { ...sent, operatorHandle: `${sent.reference}-1` };
    expect(await ask(taken)).toMatchObject({ kind: 'unknown' });
  });

  test('a taken external_id that was never confirmed: proof, however often it is asked', async () => {
    const first = await prepare(bill('00009901'));
    const again = await prepare({ ...first, operatorHandle: null });
    expect(again.operatorHandle).toBe(`${first.reference}-1`);
    // The first answer comes too early to be believed.
    expect(await ask(again)).toEqual({ kind: 'not_found' });
    expect(await ask(again)).toEqual({ kind: 'not_found' });
    expect(emulator.truth()).toEqual([]);
  });

  test('the answer about another transaction does not pass for ours', async () => {
    const other = await prepare(bill('00009901'));
    const ours = { ...bill('00009901'), operatorHandle: other.operatorHandle };
    expect(await ask(ours)).toMatchObject({ kind: 'unknown' });
    expect(await connector.pay(ours, SIGNAL)).toMatchObject({ kind: 'unknown' });
  });

  test.each([
    ['x02', '00000002', { kind: 'declined', failureCode: 'invalid_account' }],
    ['x03', '00000003', { kind: 'declined', failureCode: 'invalid_account' }],
    ['x04', '00000004', { kind: 'declined', failureCode: 'declined' }],
    ['x06', '00000006', { kind: 'declined' }],
    ['x00', '00000000', { kind: 'paid', details: {} }],
    ['x01', '00000001', { kind: 'paid', details: { token: '00001111222233334444' } }],
    ['low float', '00009918', { kind: 'not_found' }],
  ])('account %s of the sandbox has its documented outcome', async (_what, account, outcome) => {
    const sent = await prepare(bill(account));
    await connector.pay(sent, SIGNAL);
    await emulator.later.quiet();
    expect(await ask(sent)).toMatchObject(outcome);
  });
});

test('a callback for another attempt, another transaction or account is for people', async () => {
  const sent = await prepare(bill('00009901'));
  await connector.pay(sent, SIGNAL);
  await emulator.later.quiet();
  const [request] = receiver.take();
  if (request === undefined) throw new Error('no callback');
  const read = async (changes: Partial<PaymentInstruction>) => {
    const find: PaymentFinder = {
      byReference: async () => ({ ...sent, ...changes, isOpen: true }),
      byHandle: async () => undefined,
    };
    const reading = await connector.callbacks?.read(request, find);
    return reading?.kind === 'reports' ? reading.reports[0]?.outcome : reading;
  };
  expect(await read({})).toMatchObject({ kind: 'hint', says: { kind: 'paid' } });
  for (const changes of [
    { attemptNumber: 2 },
    { operatorHandle: '1' },
    { account: '1' },
    { billerCode: 'airtime', account: '254700000001' },
  ]) {
    expect(await read(changes)).toMatchObject({ kind: 'mismatch', says: { kind: 'paid' } });
  }
});

test('a callback that has a name twice is for people, whatever it says', async () => {
  const sent = await prepare(bill('00009901'));
  await connector.pay(sent, SIGNAL);
  await emulator.later.quiet();
  const [request] = receiver.take();
  if (request === undefined) throw new Error('no callback');
  const find: PaymentFinder = {
    byReference: async () => ({ ...sent, isOpen: true }),
    byHandle: async () => undefined,
  };
  for (const name of ['"id":1,', '"status":{},', '"x":{"y":1,"y":2},']) {
    const body = Buffer.from(request.body.toString().replace('{', `{${name}`));
    expect(await connector.callbacks?.read({ ...request, body }, find)).toMatchObject({
      kind: 'reports',
      reports: [{ reference: sent.reference, outcome: { kind: 'mismatch', says: null } }],
    });
  }
});

test('airtime of a fixed amount; other amounts and accounts are declined', async () => {
  const airtime = { billerCode: 'airtime' };
  const sent = await prepare(bill('0700009901', airtime));
  await connector.pay(sent, SIGNAL);
  await emulator.later.quiet();
  expect(await ask(sent)).toMatchObject({ kind: 'paid', amountCents: 100_00n });
  const refused = async (changes: Partial<PaymentInstruction>) =>
    await connector.prepare?.prepare(bill('0700009901', { ...airtime, ...changes }), SIGNAL);
  expect(await refused({ amountCents: 50_00n })).toMatchObject({
    failureCode: 'amount_not_allowed',
  });
  expect(await refused({ account: '12' })).toMatchObject({ failureCode: 'invalid_account' });
  expect(await refused({ billerCode: 'gotv' })).toMatchObject({ operatorPaused: true });
});

test('balance, amount due and mobile number are queried', async () => {
  expect(await connector.balance?.(SIGNAL)).toEqual({
    kind: 'balance',
    balanceCents: 1_000_000_00n,
  });
  const query = { billerCode: 'kplc_prepaid', account: '1', phone: null };
  expect(await connector.validate?.(query, SIGNAL)).toEqual({
    kind: 'valid',
    name: null,
    amountDueCents: 2500_50n,
    dueDate: '2026-01-31',
  });
  const airtime = { ...query, billerCode: 'airtime', account: '0700000001' };
  expect(await connector.validate?.(airtime, SIGNAL)).toMatchObject({ kind: 'valid' });
  expect(await connector.validate?.({ ...query, billerCode: 'gotv' }, SIGNAL)).toMatchObject({
    kind: 'unknown',
  });
});

test('the statement is read in windows of a day, page by page', async () => {
  const accounts = ['00009901', '00009902', '00009915', '00009914'];
  const sent = [];
  for (const account of accounts) {
    const one = await prepare(bill(account));
    await connector.pay(one, SIGNAL);
    sent.push(one);
  }
  await emulator.later.quiet();
  const to = new Date(Date.now() + 60_000);
  const from = new Date(to.getTime() - 3 * 86_400_000);
  const movements = [];
  let cursor: string | null = null;
  let pages = 0;
  do {
    const page: StatementPage | undefined = await connector.pullStatement?.(
      { from, to, cursor },
      SIGNAL,
    );
    if (page?.kind !== 'page') throw new Error('no page');
    movements.push(...page.movements);
    cursor = page.next;
    pages += 1;
  } while (cursor !== null && pages < 10);
  expect(pages).toBe(3);
  const [paid, , reversed, less] = sent;
  expect(
    movements.map(({ kind, reference, amountCents }) => [kind, reference, amountCents]),
  ).toEqual([
    ['payment', paid?.reference, 100_00n],
    ['payment', reversed?.reference, 100_00n],
    ['reversal', reversed?.reference, 100_00n],
    ['payment', less?.reference, 90_00n],
  ]);
  expect(new Set(movements.map(({ operatorReference }) => operatorReference)).size).toBe(4);
  expect(movements[0]).toMatchObject({ billerCode: 'kplc_prepaid', account: '00009901' });
});

test.each<[string, object, RegExp]>([
  ['without settings', { settings: {} }, /settings.*billers/],
  ['with an invalid product', { settings: { billers: { a: { product_id: 'x' } } } }, /billers\/a/],
  ['without a product', { settings: { billers: { a: {} } } }, /billers\/a/],
  [
    'with invalid amounts',
    { settings: { billers: { a: { products: { '1,0': 1 } } } } },
    /billers\/a/,
  ],
  ['with an unknown mode', { settings: { billers: {}, mode: 'x' } }, /mode/],
  [
    'with a window that is too short',
    { settings: { billers: {}, acceptance_window_ms: 1000 } },
    /acceptance_window_ms/,
  ],
  ['with an unknown setting', { settings: { billers: {}, none: 1 } }, /none/],
  ['with a shared secret', { secret: 'whsec_x' }, /must be a JSON object/],
  ['without a secret', { secret: '{"api_key":"a"}' }, /secret.*api_secret/],
  ['with plain http', { baseUrl: 'http://api.example' }, /https/],
])('an operator %s cannot be used', (_what, changes, message) => {
  const url = 'https://m.example/callbacks/dtone';
  expect(() => dtOne.create({ ...OPERATOR, ...changes }, url)).toThrow(message);
});
