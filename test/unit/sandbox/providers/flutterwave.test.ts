import { afterEach, expect, test } from 'vitest';
import { FlutterwaveEmulator } from '../../../../sandbox/providers/flutterwave/emulator.ts';
import type { FlutterwaveOptions } from '../../../../sandbox/providers/flutterwave/emulator.ts';
import { shapeOf, startEmulatedProvider } from '../../../support/emulated-provider.ts';
import type { Answered, EmulatedProvider } from '../../../support/emulated-provider.ts';

// The samples are those of the OpenAPI file of v3 and of the pages validate-bill-service and webhooks.

let provider: EmulatedProvider;
let emulator: FlutterwaveEmulator;

afterEach(async () => {
  await provider.close();
});

async function start(options: Partial<FlutterwaveOptions> = {}): Promise<void> {
  emulator = new FlutterwaveEmulator({
    secretKey: 'FLWSECK-TEST',
    secretHash: 'hash',
    webhookUrl: () => `${provider.callbackOrigin}/dashboard`,
    endsAfterMs: 1,
    statusBy: 'tx_ref',
    finds: 'accepted',
    usedReference: 'refused',
    ...options,
  });
  provider = await startEmulatedProvider(emulator, emulator.listener);
  provider.headers['authorization'] = 'Bearer FLWSECK-TEST';
}

const pay = async (customer: string, changes: object = {}): Promise<Answered> =>
  await provider.call('POST', '/v3/billers/BIL119/items/CB140/payment', {
    country: 'NG',
    customer_id: customer,
    reference: 'R1',
    amount: 1800,
    ...changes,
  });

const dataOf = ({ body }: Answered): Record<string, unknown> =>
  (body as { readonly data: Record<string, unknown> }).data;

const statusOf = async (name: string): Promise<Answered> =>
  await provider.call('GET', `/v3/bills/${name}?verbose=1`);

async function events(): Promise<{ data: Record<string, unknown> }[]> {
  return (await provider.callbacks()).map(
    ({ body }) => JSON.parse(body) as { data: Record<string, unknown> },
  );
}

test('a customer is validated as in the documented sample', async () => {
  await start();
  const answer = await provider.call(
    'GET',
    '/v3/bill-items/CB141/validate?code=BIL119&customer=0025401100',
  );
  expect(answer.body).toEqual({
    status: 'success',
    message: 'Item validated successfully',
    data: {
      response_code: '00',
      address: null,
      response_message: 'Successful',
      name: 'TEST CUSTOMER',
      biller_code: 'BIL119',
      customer: '0025401100',
      product_code: 'CB141',
      email: null,
      fee: 0,
      maximum: 0,
      minimum: 0,
    },
  });
});

test('a payment is answered as in the documented sample', async () => {
  await start();
  const answer = await pay('0025401100');
  expect(answer.status).toBe(200);
  expect(shapeOf(answer.body)).toEqual(
    shapeOf({
      status: 'success',
      message: 'Bill payment successful',
      data: {
        phone_number: '0025401100',
        amount: 1800,
        network: 'DSTV Payment',
        code: '200',
        tx_ref: 'CF-FLYAPI-20240324091413750321',
        reference: '247837898415',
        batch_reference: null,
        recharge_token: null,
        fee: 100,
      },
    }),
  );
  expect(emulator.truth()).toMatchObject([
    { reference: 'R1', account: '0025401100', amount: '1800.00' },
  ]);
});

test('the status of a payment has the fields of the documented sample', async () => {
  await start();
  const { tx_ref: txRef } = dataOf(await pay('0025401100'));
  const answer = await statusOf(String(txRef));
  expect(shapeOf(answer.body)).toEqual(
    shapeOf({
      status: 'success',
      message: 'Bill status fetch successful',
      data: {
        currency: 'NGN',
        customer_id: '0025401100',
        frequency: 'One Time',
        amount: '1800.00',
        fee: 100,
        product: 'DSTV Payment',
        product_name: 'DSTV Payment',
        commission: 10,
        transaction_date: '2024-03-24T09:14:13.373Z',
        customer_reference: 'd7a004b1-a581-4cd9-89ae-a1f093400',
        country: 'NG',
        flw_ref: '247837898415',
        tx_ref: 'CF-FLYAPI-20240324091413750321',
        batch_id: 3_408_739,
        extra: null,
        product_details: 'FLY-API-NG-DSTV Payment',
      },
    }),
  );
  expect(dataOf(answer)).toMatchObject({ customer_reference: 'R1', tx_ref: txRef });
});

test.each(['tx_ref', 'reference'] as const)(
  'a payment is found by %s only, as one of the readings says',
  async (statusBy) => {
    await start({ statusBy });
    const { tx_ref: txRef } = dataOf(await pay('0025401100'));
    const byOwn = (await statusOf('R1')).status;
    const byTheirs = (await statusOf(String(txRef))).status;
    expect({ byOwn, byTheirs }).toEqual(
      statusBy === 'tx_ref' ? { byOwn: 404, byTheirs: 200 } : { byOwn: 200, byTheirs: 404 },
    );
  },
);

test('a webhook has the fields and the header of the documented sample', async () => {
  await start();
  await pay('0025401100', { callback_url: `${provider.callbackOrigin}/own` });
  const [received] = await provider.callbacks();
  expect(received).toMatchObject({ line: 'POST /own', headers: { 'verif-hash': 'hash' } });
  const [event] = await events();
  expect(shapeOf(event)).toEqual(
    shapeOf({
      event: 'singlebillpayment.status',
      'event.type': 'SingleBillPayment',
      data: {
        customer: '+2347065657658',
        amount: 200,
        network: 'MTN',
        tx_ref: 'CF-FLYAPI-20240604022555817834333',
        flw_ref: 'BPUSSD17175111565077679855',
        batch_reference: null,
        customer_reference: 'test-ref-01',
        status: 'success',
        message: 'Bill Payment was completed successfully',
        reference: null,
      },
    }),
  );
  expect(event?.data['customer_reference']).toBe('R1');
});

test('without callback_url, webhooks go to the URL of the dashboard', async () => {
  await start();
  await pay('0025401100');
  expect((await provider.callbacks()).map(({ line }) => line)).toEqual(['POST /dashboard']);
});

test('a call without the secret key is refused, and pays nothing', async () => {
  await start();
  provider.headers['authorization'] = 'Bearer other';
  expect(await pay('0025401100')).toMatchObject({
    status: 401,
    body: { status: 'error', message: 'Invalid authorization key', data: null },
  });
  expect(emulator.truth()).toEqual([]);
});

test.each(['country', 'customer_id', 'reference', 'amount'])(
  'a payment without %s is refused, and pays nothing',
  async (name) => {
    await start();
    const answer = await pay('0025401100', { [name]: null });
    expect(answer).toMatchObject({ status: 400, body: { status: 'error', data: null } });
    expect(emulator.truth()).toEqual([]);
  },
);

test('HTTP 503 comes for a payment that was made, and for one that was not', async () => {
  await start();
  const answers = [
    await pay('0025409917', { reference: 'R1' }),
    await pay('0025409919', { reference: 'R2' }),
  ];
  for (const answer of answers) {
    expect(answer).toMatchObject({
      status: 503,
      body: { status: 'error', message: 'An error occurred. Please contact support', data: null },
    });
  }
  expect(emulator.truth()).toMatchObject([{ reference: 'R1' }]);
});

test('the token of prepaid electricity comes with the answer, or follows', async () => {
  await start({ statusBy: 'reference' });
  const buy = async (customer: string, reference: string): Promise<Answered> =>
    await provider.call('POST', '/v3/billers/BIL112/items/UB157/payment', {
      country: 'KE',
      customer_id: customer,
      reference,
      amount: 500,
    });
  expect(dataOf(await buy('04123450000', 'R1'))['recharge_token']).toMatch(/^\d{20}$/);
  expect(dataOf(await buy('04123459916', 'R2'))['recharge_token']).toBeNull();
  await provider.callbacks();
  expect(dataOf(await statusOf('R2'))['extra']).toMatch(/^\d{20}$/);
});

test('a payment that fails later is told by webhook, and is not found', async () => {
  await start({ statusBy: 'reference' });
  expect((await pay('0025409924')).status).toBe(200);
  expect(await events()).toMatchObject([{ data: { customer_reference: 'R1', status: 'fail' } }]);
  expect((await statusOf('R1')).status).toBe(404);
  expect(emulator.truth()).toEqual([]);
});

test('a webhook comes three times, or names another payment', async () => {
  await start();
  await pay('0025409906', { reference: 'R1' });
  await pay('0025409920', { reference: 'R2' });
  const told = (await events()).map(({ data }) =>
    [data['customer_reference'], data['status']].join(' '),
  );
  expect(told.toSorted()).toEqual([
    'R1 success',
    'R1 success',
    'R1 success',
    'R2 success',
    'R2X fail',
  ]);
  expect(emulator.truth()).toHaveLength(2);
});

test.each([
  ['refused', 400, 1],
  ['executes', 200, 2],
] as const)('a used reference is %s, as the switch says', async (usedReference, status, paid) => {
  await start({ usedReference });
  await pay('0025401100');
  expect((await pay('0025401100')).status).toBe(status);
  expect(emulator.truth()).toHaveLength(paid);
});

test.each([
  ['accepted', 200],
  ['paid', 404],
] as const)(
  'a payment that is not made yet: found are those that were %s',
  async (finds, status) => {
    await start({ statusBy: 'reference', finds });
    await pay('0025409909');
    expect((await statusOf('R1')).status).toBe(status);
  },
);
