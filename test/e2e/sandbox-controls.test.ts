import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkLedger } from '../../src/payments/audit/check.ts';
import { demoVendor } from '../support/demo-vendors.ts';
import { SandboxFixture } from '../support/sandbox.ts';
import type { Sandbox } from '../support/sandbox.ts';
import { controlsOf } from '../support/sandbox-controls.ts';
import type { Controls } from '../support/sandbox-controls.ts';
import { must } from '../integration/cli-support.ts';
import { until } from '../support/until.ts';
import type { VendorClient } from '../support/vendor-client.ts';

// Each control of the sandbox, with the real processes.

const fixture = new SandboxFixture();
let sandbox: Sandbox;
let controls: Controls;
let client: VendorClient;
beforeAll(async () => {
  sandbox = await fixture.start();
  client = demoVendor(sandbox);
  controls = controlsOf(sandbox, client);
  await client.fund();
}, 180_000);
afterAll(async () => await fixture.cleanUp());

let made = 0;
const pay = async (account = '37200001234', biller = 'kplc_prepaid'): Promise<string> => {
  made += 1;
  return await client.accepted({
    ...{ biller_name: biller, account, amount: '60.00' },
    merchant_reference: `controls-${made}`,
  });
};
const endOf = async (reference: string): Promise<string> =>
  await until(`${reference} ends`, async () => {
    const { transaction_status: status } = await client.payment(reference);
    return (status === 'SUCCESS' || status === 'FAILED') && status;
  });
const isPaid = async (reference: string): Promise<boolean> =>
  (await sandbox.truth()).some((entry) => entry.reference === reference);

test('a refill is in the float at once', async () => {
  const before = await client.balance();
  await controls.ask('POST', '/float', { amount_cents: '12345' });
  expect(await client.balance()).toBeCloseTo(before + 123.45, 2);
});

test('chosen outcomes are used in order, by this vendor’s payments, and accounts come first', async () => {
  await controls.ask('POST', '/next-outcome', { outcome: 'declined' });
  await controls.ask('POST', '/next-outcome', { outcome: 'not_paid_unanswered', times: 2 });
  const other = demoVendor(sandbox, 'demo2');
  await other.fund();
  const theirs = await other.accepted({ account: '254722000001', merchant_reference: 'theirs-1' });
  await until('the other vendor’s payment is paid', async () => await isPaid(theirs));
  expect(await endOf(await pay('37200009901'))).toBe('SUCCESS');
  expect(await endOf(await pay())).toBe('FAILED');
  expect(await endOf(await pay())).toBe('FAILED');
  expect(await controls.ask('GET', '/state')).toMatchObject({
    next_outcomes: [{ outcome: 'not_paid_unanswered', times: 1, account: null }],
  });
  expect(
    await controlsOf(sandbox, demoVendor(sandbox, 'demo2')).ask('GET', '/state'),
  ).toMatchObject({
    next_outcomes: [],
  });
  await controls.ask('DELETE', '/next-outcome');
  expect(await endOf(await pay())).toBe('SUCCESS');
});

test('an outcome for one account waits for that account', async () => {
  await controls.ask('POST', '/next-outcome', { outcome: 'declined', account: '37200005678' });
  expect(await endOf(await pay())).toBe('SUCCESS');
  expect(await endOf(await pay('37200005678'))).toBe('FAILED');
});

test('a lost instruction is paid by its repeat, and uses one outcome', async () => {
  await controls.ask('POST', '/next-outcome', { outcome: 'lost' });
  expect(await endOf(await pay())).toBe('SUCCESS');
  expect(await controls.ask('GET', '/state')).toMatchObject({ next_outcomes: [] });
});

test.each([
  ['paid', 'SUCCESS'],
  ['declined', 'FAILED'],
] as const)('a stuck payment is advanced to %s by its operator', async (result, status) => {
  const reference = await pay('37200009909');
  await until('the operator has it', async () => {
    const path = `/payments/${reference}/advance`;
    return (await controls.send('POST', path, { result })).status === 200;
  });
  expect(await endOf(reference)).toBe(status);
  expect(await isPaid(reference)).toBe(result === 'paid');
  const again = await controls.send('POST', `/payments/${reference}/advance`, { result });
  expect([again.status, again.text]).toEqual([409, expect.stringContaining('decided already')]);
});

test('nobody advances the payment of another vendor', async () => {
  const reference = await pay('37200009909');
  const theirs = controlsOf(sandbox, demoVendor(sandbox, 'demo2'));
  const path = `/payments/${reference}/advance`;
  expect((await theirs.send('POST', path, { result: 'paid' })).status).toBe(404);
  expect(await isPaid(reference)).toBe(false);
});

test('a biller is offline until its end, and can be brought back', async () => {
  await controls.ask('POST', '/billers/gotv/offline', { seconds: 3_600 });
  const refused = await client.create({
    ...{ biller_name: 'gotv', account: '2000001234', phone: '0722000000' },
    merchant_reference: 'offline-1',
  });
  expect(refused.body.error?.[0]?.code).toBe('biller_offline');
  await controls.ask('POST', '/billers/gotv/online');
  expect(await controls.ask('GET', '/state')).toMatchObject({ offline_billers: [] });
});

test('an operator whose float was set pays no more than it holds, until it is refilled', async () => {
  await controls.ask('POST', '/operators/zuku/float', { set_cents: '5000' });
  const reference = await pay('37200001234', 'zuku');
  await until('the operator has refused it', async () => {
    const found = await must(sandbox.environment, 'payment', 'show', reference);
    return found.stdout.includes('operator_float_empty');
  });
  expect(await isPaid(reference)).toBe(false);
  const { float_cents: cents } = await controls.ask('POST', '/operators/zuku/float', {
    add_cents: '100000000',
  });
  expect(cents).toBe('100005000');
  expect(await endOf(reference)).toBe('SUCCESS');
});

test('overloaded and unavailable do nothing, and say when to come again', async () => {
  await controls.ask('POST', '/answers', { answer: 'overloaded', requests: 2 });
  const references = ['busy-1', 'busy-2'];
  for (const reference of references) {
    const request = { account: '254722000000', merchant_reference: reference };
    const answer = await client.create(request);
    expect([answer.status, answer.body.error?.[0]?.code]).toEqual([503, 'overloaded']);
    expect(answer.headers['retry-after']).toBe('1');
  }
  for (const reference of references) {
    expect((await client.call('status', { merchant_reference: reference })).status).toBe(404);
  }
  await controls.ask('POST', '/answers', { answer: 'unavailable', seconds: 3_600 });
  expect((await client.call('balance')).headers['retry-after']).toBe('5');
  const other = demoVendor(sandbox, 'demo2');
  expect((await other.call('balance')).status).toBe(200);
  await controls.ask('DELETE', '/answers');
  expect((await client.call('balance')).status).toBe(200);
});

test('outcome_unknown loses the answer of a payment that was made', async () => {
  await controls.ask('POST', '/answers', { answer: 'outcome_unknown' });
  // A query has an outcome, so it does not use the fault.
  await client.balance();
  const request = { account: '254722000000', amount: '61.00', merchant_reference: 'unknown-1' };
  const lost = await client.create(request);
  expect([lost.status, lost.body.error?.[0]?.code]).toEqual([503, 'outcome_unknown']);
  const again = await client.create(request);
  expect([again.status, again.headers['idempotency-replayed']]).toEqual([200, 'true']);
});

test('outcome_unknown loses the answer of an enquiry that was made', async () => {
  await controls.ask('POST', '/answers', { answer: 'outcome_unknown' });
  const request = {
    ...{ requestReference: 'unknown2', reportReason: '2', reportSector: '2' },
    ...{ name1: 'Amani', name2: 'Baraka', name3: 'Wanjiru', nationalID: '900000001' },
  };
  const lost = await client.call('genericScore', request);
  expect([lost.status, lost.body.error?.[0]?.code]).toEqual([503, 'outcome_unknown']);
  expect((await client.call('genericScore', request)).status).toBe(200);
  const listed = await must(
    sandbox.environment,
    ...['credit', 'enquiries', '--vid', 'demo', '--reference', 'unknown2', '--json'],
  );
  expect(listed.json<{ enquiries: readonly unknown[] }>().enquiries).toHaveLength(1);
});

test('each type of event is a real one, and truth and ledger agree', async () => {
  const types = [
    ...['transaction.succeeded', 'transaction.failed', 'transaction.corrected'],
    ...['float.low', 'float.recovered'],
    ...['credit.default', 'credit.enquiry', 'credit.score_drop'],
  ];
  for (const type of types) await controls.ask('POST', '/events/trigger', { type });
  const { events } = (await must(sandbox.environment, 'webhook', 'events', 'demo', '--json')).json<{
    events: readonly { readonly type: string; readonly reference: string }[];
  }>();
  expect(new Set(events.map(({ type }) => type))).toEqual(new Set(types));
  const corrected = events.find(({ type }) => type === 'transaction.corrected');
  expect(await isPaid(corrected?.reference ?? '')).toBe(false);
  expect((await client.payment(corrected?.reference ?? '')).transaction_status).toBe('FAILED');
});

test.each([
  ['/float', { amount_cents: 100 }, 'amount_cents'],
  ['/float', {}, 'amount_cents'],
  ['/operators/zuku/float', {}, 'set_cents'],
  ['/next-outcome', { outcome: 'maybe' }, 'outcome'],
  ['/next-outcome', { outcome: 'paid', times: 0 }, 'times'],
  ['/next-outcome', { outcome: 'paid', time: 1 }, 'time'],
  ['/answers', { answer: 'none' }, 'answer'],
  ['/answers', { answer: 'overloaded', requests: 1, seconds: 1 }, 'seconds'],
  ['/events/trigger', { type: 'transaction.lost' }, 'type'],
  ['/billers/gotv/offline', { seconds: 0 }, 'seconds'],
])('%s %j: the error names the field', async (path, body, field) => {
  const answer = await controls.send('POST', path, body);
  expect(answer.status).toBe(400);
  expect(answer.body.error).toMatchObject({ field });
});

test('what does not exist is not found', async () => {
  for (const path of ['/billers/nobody/online', '/operators/nobody/float']) {
    const body = path.endsWith('float') ? { add_cents: '1' } : undefined;
    expect((await controls.send('POST', path, body)).status).toBe(404);
  }
});

test('pages of other sites cannot use them: not by another name, not by another origin, not unsigned', async () => {
  const body = { amount_cents: '100' };
  const foreign = [
    { host: 'evil.example' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
  ];
  for (const headers of foreign) {
    expect((await controls.send('POST', '/float', body, headers)).status).toBe(403);
  }
  const own = { host: 'localhost:8080', origin: sandbox.origin };
  expect((await controls.send('POST', '/float', body, own)).status).toBe(200);
  const unsigned = await fetch(`${sandbox.origin}/sandbox/float?vid=demo`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(unsigned.status).toBe(401);
});

test('chosen outcomes and floats outlast a kill, and the books are right', async () => {
  await controls.ask('POST', '/next-outcome', { outcome: 'declined' });
  await sandbox.kill();
  sandbox = await fixture.start({ dataDir: sandbox.dataDir });
  client = demoVendor(sandbox);
  controls = controlsOf(sandbox, client);
  expect(await endOf(await pay())).toBe('FAILED');
  expect(await controls.ask('POST', '/operators/zuku/float', { add_cents: '1' })).toBeDefined();
  const pool = await sandbox.pool();
  expect((await checkLedger(pool)).violations).toEqual([]);
}, 120_000);
