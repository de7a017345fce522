import { createHmac } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { KopokopoEmulator } from '../../../../sandbox/providers/kopokopo/emulator.ts';
import type { KopokopoOptions } from '../../../../sandbox/providers/kopokopo/emulator.ts';
import { createGateway } from '../../../../sandbox/providers/kopokopo/listener.ts';
import type { Gateway } from '../../../../sandbox/providers/kopokopo/listener.ts';
import { shapeOf, startEmulatedProvider } from '../../../support/emulated-provider.ts';
import type { Answered, EmulatedProvider } from '../../../support/emulated-provider.ts';

// The samples are those of developers.kopokopo.com (send-money: external recipients, check-transfer) and
// of the fixtures of kopokopo/k2-connect-node.

let provider: EmulatedProvider;
let emulator: KopokopoEmulator;
let gateway: Gateway;

afterEach(async () => {
  await provider.close();
});

async function start(options: Partial<KopokopoOptions> = {}): Promise<void> {
  emulator = new KopokopoEmulator({
    apiKey: 'api-key',
    endsAfterMs: 1,
    spacesCallbacks: false,
    ...options,
  });
  gateway = createGateway(emulator, { clientId: 'client', clientSecret: 'secret' });
  provider = await startEmulatedProvider(emulator, gateway.listener);
  provider.headers['content-type'] = 'application/x-www-form-urlencoded';
  const form = 'client_id=client&client_secret=secret&grant_type=client_credentials';
  const { body } = await provider.call('POST', '/oauth/token', form);
  const { access_token: token } = body as { readonly access_token: string };
  provider.headers['content-type'] = 'application/json';
  provider.headers['authorization'] = `Bearer ${token}`;
}

const send = async (account: string, changes: object = {}): Promise<Answered> =>
  await provider.call('POST', '/api/v2/send_money', {
    destinations: [
      {
        type: 'paybill',
        paybill_number: '600200',
        paybill_account_number: account,
        amount: 500,
        description: 'bill',
        nickname: 'b1',
        favourite: false,
      },
    ],
    source_identifier: null,
    currency: 'KES',
    metadata: { payment: 'p-1' },
    _links: { callback_url: `${provider.callbackOrigin}/result` },
    ...changes,
  });

interface Batch {
  readonly disbursements: readonly { readonly status: string; readonly amount: string }[];
}

/** The statuses of the parts, batch after batch. */
function partsOf({ body }: Answered): string[][] {
  const { data } = body as {
    readonly data: { readonly attributes: { readonly transfer_batches: readonly Batch[] } };
  };
  return data.attributes.transfer_batches.map(({ disbursements }) =>
    disbursements.map(({ status, amount }) => `${status} ${amount}`),
  );
}

async function ended(answer: Answered): Promise<Answered> {
  await provider.callbacks();
  return await provider.call('GET', answer.headers.get('location') ?? '');
}

test('a request is answered with its location and nothing else', async () => {
  await start();
  const answer = await send('12345678901');
  expect(answer).toMatchObject({ status: 201, body: '' });
  expect(answer.headers.get('location')).toMatch(
    new RegExp(`^${provider.origin}/api/v2/send_money/[0-9a-f-]{36}$`),
  );
});

test('before and after the end, a request has the fields of the documented samples', async () => {
  await start();
  const waiting = await provider.call(
    'GET',
    (await send('12345679909')).headers.get('location') ?? '',
  );
  expect(waiting.body).toMatchObject({
    data: { type: 'send_money', attributes: { status: 'Scheduled', transfer_batches: null } },
  });
  const paid = await ended(await send('12345678901'));
  expect(shapeOf(paid.body)).toEqual(
    shapeOf({
      data: {
        id: '716481bc-635c-4d35-92c9-65bb0797196a',
        type: 'send_money',
        attributes: {
          status: 'Processed',
          created_at: '2025-09-23T20:05:46.522+03:00',
          source_identifier: null,
          destinations: [
            {
              type: 'paybill',
              paybill_number: '600200',
              paybill_account_number: '12345678901',
              amount: 500,
              description: 'bill',
              nickname: 'b1',
              favourite: false,
            },
          ],
          currency: 'KES',
          transfer_batches: [
            {
              status: 'Transferred',
              amount: '500.0',
              disbursements: [
                {
                  amount: '500.0',
                  status: 'Transferred',
                  errors: null,
                  destination_type: 'paybill',
                  origination_time: '2025-09-23T20:22:59.913+03:00',
                  destination_reference: 'a3bd6298-8a5a-4a93-b880-7948a621fdfb',
                  transaction_reference: 'QCL160124A7',
                },
              ],
            },
          ],
          errors: null,
          metadata: { payment: 'p-1' },
          _links: {
            callback_url: 'https://example.com/result',
            self: 'https://api.kopokopo.com/api/v2/send_money/716481bc',
          },
        },
      },
    }),
  );
  expect(emulator.truth()).toMatchObject([
    { biller: 'paybill', account: '12345678901', amount: '500.00' },
  ]);
});

test.each([false, true])(
  'a callback is the answer to GET, signed over its bytes (spaces: %s)',
  async (spacesCallbacks) => {
    await start({ spacesCallbacks });
    const answer = await send('12345678901');
    const [callback] = await provider.callbacks();
    const body = callback?.body ?? '';
    expect(callback?.line).toBe('POST /result');
    expect(callback?.headers['x-kopokopo-signature']).toBe(
      createHmac('sha256', 'api-key').update(body).digest('hex'),
    );
    expect(body.includes('\n')).toBe(spacesCallbacks);
    const asked = await ended(answer);
    expect(JSON.parse(body)).toEqual(asked.body);
  },
);

test.each([
  ['9924', [['Failed 500.0']], []],
  ['9914', [['Transferred 250.0', 'Failed 250.0']], ['250.00']],
  ['9916', [['Transferred 250.0'], ['Transferred 250.0']], ['500.00']],
])('a receiver that ends in %s is Processed as %j', async (suffix, parts, paid) => {
  await start();
  const answer = await ended(await send(`1234567${suffix}`));
  expect(answer.body).toMatchObject({ data: { attributes: { status: 'Processed' } } });
  expect(partsOf(answer)).toEqual(parts);
  expect(emulator.truth().map(({ amount }) => amount)).toEqual(paid);
});

test('every request that arrives sends money again', async () => {
  await start();
  await send('12345678901');
  await send('12345678901');
  await provider.callbacks();
  expect(emulator.truth()).toHaveLength(2);
});

test('callbacks come three times, or about another request', async () => {
  await start();
  await send('12345679906');
  await send('12345679920');
  const told = (await provider.callbacks()).map(({ body }) => {
    const { data } = JSON.parse(body) as {
      readonly data: { readonly attributes: { readonly metadata: { readonly payment: string } } };
    };
    return data.attributes.metadata.payment;
  });
  expect(told.toSorted()).toEqual(['other', 'p-1', 'p-1', 'p-1', 'p-1']);
  expect(emulator.truth()).toHaveLength(2);
});

test('without a valid token nothing is sent', async () => {
  await start();
  gateway.expireTokens();
  expect(await send('12345678901')).toMatchObject({ status: 401 });
  expect(emulator.truth()).toEqual([]);
});

test('a wrong secret gets no token', async () => {
  await start();
  const body = { client_id: 'client', client_secret: 'x', grant_type: 'client_credentials' };
  expect(await provider.call('POST', '/oauth/token', body)).toMatchObject({
    status: 401,
    body: { error: 'invalid_client' },
  });
});

test.each([
  ['no receiver', { destinations: [] }],
  ['no callback_url', { _links: {} }],
  ['six metadata', { metadata: { a: 1, b: 2, c: 3, d: 4, e: 5, f: 6 } }],
])('a request with %s is refused, and sends nothing', async (_, changes) => {
  await start();
  expect((await send('12345678901', changes)).status).toBe(400);
  await provider.callbacks();
  expect(emulator.truth()).toEqual([]);
});

test('v1 pays a recipient that was created before, and shows a payment as the fixture does', async () => {
  await start();
  const recipient = await provider.call('POST', '/api/v1/pay_recipients', {
    type: 'mobile_wallet',
    pay_recipient: {
      first_name: 'Test',
      last_name: 'Customer',
      email: 'test@example.com',
      phone_number: '+254999999999',
      network: 'Safaricom',
    },
  });
  expect(recipient.status).toBe(201);
  const reference = recipient.headers.get('location')?.split('/').at(-1);
  const payment = await provider.call('POST', '/api/v1/payments', {
    destination_type: 'mobile_wallet',
    destination_reference: reference,
    amount: { currency: 'KES', value: 780 },
    description: 'refund',
    metadata: { notes: 'refund' },
    _links: { callback_url: `${provider.callbackOrigin}/result` },
  });
  const asked = await ended(payment);
  expect(shapeOf(asked.body)).toEqual(
    shapeOf({
      data: {
        id: 'c6fda139-2480-4a93-95ed-f72c66b92364',
        type: 'payment',
        attributes: {
          status: 'Processed',
          created_at: '2021-01-28T10:00:17.827+03:00',
          amount: { currency: 'KES', value: 780 },
          transfer_batches: [
            {
              status: 'Transferred',
              disbursements: [
                {
                  amount: '780.0',
                  status: 'Transferred',
                  destination_type: 'Mobile Wallet',
                  origination_time: '2020-11-13T08:32:03.000+03:00',
                  destination_reference: '0fcb2f42-9372-4a6c-8c2f-3fd977c548e8',
                  transaction_reference: 'LBA10034460',
                },
              ],
            },
          ],
          metadata: { notes: 'refund' },
          _links: { callback_url: 'https://example.com', self: 'https://example.com' },
        },
      },
    }),
  );
  expect(emulator.truth()).toMatchObject([{ account: '+254999999999', amount: '780.00' }]);
});
