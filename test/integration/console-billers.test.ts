import { afterAll, beforeAll, expect, test } from 'vitest';
import { endOfflinePeriods } from '../../src/payments/billers/administer.ts';
import { saveProducts } from '../../src/payments/billers/products-store.ts';
import { signedIn } from '../support/console-client.ts';
import type { ConsoleClient } from '../support/console-client.ts';
import { createServiceDatabase, startInProcess } from '../support/in-process-service.ts';
import type { InProcessService } from '../support/in-process-service.ts';
import { inProcess } from './cli-support.ts';

let running: InProcessService;
let databaseUrl = '';
let client: ConsoleClient;

beforeAll(async () => {
  databaseUrl = (await createServiceDatabase()).url;
  running = await startInProcess(databaseUrl);
  client = await signedIn(running.origin, 'operations');
});
afterAll(async () => {
  await running.stop();
});

const inAnHour = (): string => new Date(Date.now() + 3_600_000).toISOString();

test.each([
  [{ reason: '  ' }, 'reason'],
  [{ reason: 'x', until: 'tomorrow' }, 'until'],
  [{ reason: 'x', until: '2020-01-01T00:00:00Z' }, 'until'],
])('taking a biller offline with %o is refused, naming %s', async (body, field) => {
  const answer = await client.send('POST', '/billers/gotv/status', { status: 'OFFLINE', ...body });
  expect(answer).toMatchObject({ status: 400, field });
});

test('an unknown biller or operator is not found', async () => {
  for (const path of [
    '/billers/none',
    '/billers/no-such-biller',
    '/billers/none/route?amount=100',
    '/billers/none/products',
    '/operators/none',
  ]) {
    expect((await client.get(path)).code).toBe('not_found');
  }
  const change = await client.send('POST', '/billers/none/status', { status: 'OFFLINE' });
  expect(change.code).toBe('not_found');
});

test('an OFFLINE period ends by itself, and not before its end', async () => {
  const until = inAnHour();
  const asked = { status: 'OFFLINE', reason: 'Repairs', until };
  const taken = await client.send('POST', '/billers/zuku/status', asked);
  expect(taken.body).toMatchObject({ offline_reason: 'Repairs', offline_until: until });
  expect(await endOfflinePeriods(running.service.pool)).toEqual([]);
  await running.service.pool.query(
    `update billers set offline_until = now() - interval '1 second' where biller_code = 'zuku'`,
  );
  expect(await endOfflinePeriods(running.service.pool)).toEqual(['zuku']);
  expect((await client.get('/billers/zuku')).body).toMatchObject({
    status: 'ONLINE',
    offline_reason: null,
    offline_until: null,
  });
});

test('the dry run of a route is the command line’s', async () => {
  const { body } = await client.get('/billers/dstv/route?amount=100');
  const ran = await inProcess({ DATABASE_URL: databaseUrl }, 'route', 'dstv', '100', '--json');
  const { operator, reason } = ran.json();
  expect(body).toMatchObject({ operator, reason, routes: [{ operator, obstacle: null }] });
  const wrong = await client.get('/billers/dstv/route?amount=1.234');
  expect(wrong.code).toBe('invalid_field');
});

test('what the operators of a biller sell for it, as the command line says', async () => {
  const bouquet = {
    productCode: 'family',
    name: 'Family',
    service: 'Television',
    provider: 'MultiChoice',
    value: '1 MONTH',
    amount: { minimumCents: 135_000n, maximumCents: 135_000n, currency: 'KES' },
    price: null,
    validity: '30 DAY',
    requires: '',
    billerCodes: ['dstv'],
  };
  const other = { ...bouquet, productCode: 'other', billerCodes: ['gotv'] };
  await saveProducts(running.service.pool, 'multichoice', [bouquet, other]);
  const { body } = await client.get('/billers/dstv/products');
  expect(body).toEqual({
    biller: 'dstv',
    amounts: 'any',
    operators: [{ operator: 'multichoice', refreshed_at: expect.any(String), error: null }],
    products: [
      {
        operator: 'multichoice',
        product_code: 'family',
        name: 'Family',
        service: 'Television',
        provider: 'MultiChoice',
        value: '1 MONTH',
        amount: { minimum: '1350.00', maximum: '1350.00', currency: 'KES' },
        price: null,
        validity: '30 DAY',
        requires: '',
        billers: ['dstv'],
      },
    ],
  });
  const ran = await inProcess(
    { DATABASE_URL: databaseUrl },
    'biller',
    'products',
    'dstv',
    '--json',
  );
  expect(ran.json()).toEqual(body);
});

test('a biller with its payments of the last day, as the list and the command line show it', async () => {
  const { body: listed } = await client.get('/billers');
  const { billers } = listed as { billers: { biller: string }[] };
  const dstv = billers.find((one) => one.biller === 'dstv');
  const { body: shown } = await client.get('/billers/dstv');
  expect(shown).toMatchObject({ ...dstv, routes: [{ operator: 'multichoice', obstacle: null }] });
  expect(shown['intervals']).toHaveLength(49);
  const ran = await inProcess({ DATABASE_URL: databaseUrl }, 'biller', 'show', 'dstv', '--json');
  expect(ran.json()).toEqual(shown);
});

test('every operator with its float and billers', async () => {
  const { body } = await client.get('/operators');
  const { operators } = body as { operators: { operator: string; billers: string[] }[] };
  const multichoice = operators.find(({ operator }) => operator === 'multichoice');
  expect(multichoice?.billers.toSorted()).toEqual(['dstv', 'gotv']);
  const one = await client.get('/operators/multichoice');
  expect(one.body).toMatchObject({ ...multichoice, max_per_second: null });
  expect(one.body['intervals']).toHaveLength(49);
});
