import { afterEach, expect, test } from 'vitest';
import { CoopPesalinkEmulator } from '../../../../sandbox/providers/coop-pesalink/emulator.ts';
import type { CoopPesalinkOptions } from '../../../../sandbox/providers/coop-pesalink/emulator.ts';
import { createGateway } from '../../../../sandbox/providers/coop-pesalink/listener.ts';
import type { Gateway } from '../../../../sandbox/providers/coop-pesalink/listener.ts';
import { shapeOf, startEmulatedProvider } from '../../../support/emulated-provider.ts';
import type { Answered, EmulatedProvider } from '../../../support/emulated-provider.ts';

// The fields and codes are those of the bank's OpenAPI files, as wondenge/coop-go was generated from them;
// the short answer is the sample of the package coopbank_pesalink.

let provider: EmulatedProvider;
let emulator: CoopPesalinkEmulator;
let gateway: Gateway;

afterEach(async () => {
  await provider.close();
});

async function start(options: Partial<CoopPesalinkOptions> = {}): Promise<void> {
  emulator = new CoopPesalinkEmulator({ endsAfterMs: 1, inProcess: 200, ...options });
  gateway = createGateway(emulator, { consumerKey: 'key', consumerSecret: 'secret' });
  provider = await startEmulatedProvider(emulator, gateway.listener);
  provider.headers['authorization'] = `Basic ${Buffer.from('key:secret').toString('base64')}`;
  const { body } = await provider.call('POST', '/token', 'grant_type=client_credentials');
  const { access_token: token } = body as { readonly access_token: string };
  provider.headers['authorization'] = `Bearer ${token}`;
}

interface Changes {
  readonly top?: object;
  readonly source?: object;
  readonly leg?: object;
}

const transfer = async (account: string, { top, source, leg }: Changes = {}): Promise<Answered> => {
  const common = { Amount: 777, TransactionCurrency: 'KES', Narration: 'Supplier Payment' };
  return await provider.call('POST', '/FundsTransfer/External/A2A/PesaLink/1.0.0', {
    MessageReference: 'M1',
    CallBackUrl: `${provider.callbackOrigin}/result`,
    Source: { AccountNumber: '36001873000', ...common, ...source },
    Destinations: [
      { ReferenceNumber: 'M1-1', AccountNumber: account, BankCode: '11', ...common, ...leg },
    ],
    ...top,
  });
};

const enquire = async (reference = 'M1'): Promise<Answered> =>
  await provider.call('POST', '/Enquiry/TransactionStatus/2.0.0', { MessageReference: reference });

async function results(): Promise<unknown[]> {
  return (await provider.callbacks()).map(({ body }) => JSON.parse(body) as unknown);
}

const HEAD = {
  MessageReference: '40ca18c6765086089a1',
  MessageDateTime: '2017-12-04T09:27:00',
  MessageCode: '0',
  MessageDescription: 'REQUEST ACCEPTED FOR PROCESSING',
};

test('a transfer is acknowledged as in the documented sample', async () => {
  await start();
  const answer = await transfer('54321987654321');
  expect(answer.status).toBe(200);
  expect(shapeOf(answer.body)).toEqual(shapeOf(HEAD));
  expect(answer.body).toMatchObject({
    MessageReference: 'M1',
    MessageCode: '0',
    MessageDescription: 'REQUEST ACCEPTED FOR PROCESSING',
  });
});

test('the callback and the enquiry have the documented fields', async () => {
  await start();
  await transfer('54321987654321');
  const common = {
    Amount: 777,
    TransactionCurrency: 'KES',
    Narration: 'Supplier Payment',
  };
  const result = { ResponseCode: '0', ResponseDescription: 'Success' };
  const shape = shapeOf({
    ...HEAD,
    Source: { AccountNumber: '36001873000', ...common, ...result },
    Destinations: [
      {
        ReferenceNumber: 'M1-1',
        AccountNumber: '54321987654321',
        BankCode: '11',
        ...common,
        TransactionID: '1169aaaa',
        ...result,
      },
    ],
  });
  const told = await results();
  const asked = await enquire();
  expect([...told, asked.body].map(shapeOf)).toEqual([shape, shape]);
  expect(asked).toMatchObject({
    status: 200,
    body: { MessageCode: '0', MessageDescription: 'FULL SUCCESS' },
  });
  expect(emulator.truth()).toMatchObject([
    { reference: 'M1', biller: '11', account: '54321987654321', amount: '777.00' },
  ]);
});

test('a used message reference is refused, and pays nothing more', async () => {
  await start();
  await transfer('54321987654321');
  expect(await transfer('54321987654321')).toMatchObject({
    status: 409,
    body: { MessageCode: '-1', MessageDescription: 'DUPLICATE MESSAGE REFERENCE' },
  });
  await provider.callbacks();
  expect(emulator.truth()).toHaveLength(1);
});

const REFUSED: readonly (readonly [string, Changes, number, string])[] = [
  ['no reference', { top: { MessageReference: '' } }, 400, '-2'],
  ['no receiver', { top: { Destinations: [] } }, 400, '-2'],
  ['an amount of nothing', { leg: { Amount: 0 }, source: { Amount: 0 } }, 400, '-3'],
  ['a part of a shilling', { leg: { Amount: 7.5 }, source: { Amount: 7.5 } }, 400, '-3'],
  ['amounts that differ', { source: { Amount: 778 } }, 400, '-5'],
  ['equal references', { leg: { ReferenceNumber: 'M1' } }, 400, '-12'],
  ['another currency', { leg: { TransactionCurrency: 'USD' } }, 403, '-9'],
  ['no bank', { leg: { BankCode: '' } }, 403, '-10'],
];

test.each(REFUSED)(
  'a transfer with %s is refused as documented',
  async (_, changes, status, code) => {
    await start();
    const answer = await transfer('54321987654321', changes);
    expect(answer).toMatchObject({ status, body: { MessageCode: code } });
    expect(shapeOf(answer.body)).toEqual(shapeOf(HEAD));
    await provider.callbacks();
    expect(emulator.truth()).toEqual([]);
  },
);

test.each([
  ['9902', 403, '-10'],
  ['9936', 400, '-6'],
  ['9946', 403, '-16'],
])('an account that ends in %s is refused with %i and %s', async (suffix, status, code) => {
  await start();
  const answer = await transfer(`5432198765${suffix}`);
  expect(answer).toMatchObject({ status, body: { MessageCode: code } });
  expect(await enquire()).toMatchObject({ status: 404, body: { MessageCode: '-13' } });
});

test.each([
  ['9924', '40180193'],
  ['9931', '40507020'],
  ['9932', '40000126'],
  ['9933', '20020000'],
  ['9934', '40409528'],
  ['9937', '40000132'],
])('an account that ends in %s fails later with %s', async (suffix, code) => {
  await start();
  expect((await transfer(`5432198765${suffix}`)).status).toBe(200);
  await provider.callbacks();
  expect(await enquire()).toMatchObject({
    status: 207,
    body: {
      MessageCode: '2',
      MessageDescription: 'FULL FAILURE',
      Destinations: [{ ResponseCode: code }],
    },
  });
  expect(emulator.truth()).toEqual([]);
});

test('a request that timed out was executed, or was not', async () => {
  await start();
  for (const [suffix, reference] of [
    ['9917', 'M1'],
    ['9919', 'M2'],
  ] as const) {
    const answer = await transfer(`5432198765${suffix}`, { top: { MessageReference: reference } });
    expect(answer).toMatchObject({ status: 408, body: { MessageCode: '-4' } });
  }
  await provider.callbacks();
  expect([(await enquire('M1')).status, (await enquire('M2')).status]).toEqual([200, 207]);
  expect(emulator.truth()).toMatchObject([{ reference: 'M1' }]);
});

test('a failure that speaks of a retry queue says nothing of the money', async () => {
  await start();
  await transfer('54321987659921', { top: { MessageReference: 'M1' } });
  await transfer('54321987659922', { top: { MessageReference: 'M2' } });
  expect(await results()).toMatchObject([
    { MessageCode: '2', Destinations: [{ ResponseCode: '20201005' }] },
    { MessageCode: '2', Destinations: [{ ResponseCode: '20201005' }] },
  ]);
  expect(emulator.truth()).toMatchObject([{ reference: 'M1' }]);
});

test('callbacks come three times, or about another message', async () => {
  await start();
  await transfer('54321987659906', { top: { MessageReference: 'M1' } });
  await transfer('54321987659920', { top: { MessageReference: 'M2' } });
  const told = (await results()).map((result) => {
    const { MessageReference: reference, MessageCode: code } = result as typeof HEAD;
    return `${reference} ${code}`;
  });
  expect(told.toSorted()).toEqual(['M1 0', 'M1 0', 'M1 0', 'M2 0', 'M2X 2']);
  expect(emulator.truth()).toHaveLength(2);
});

test.each([200, 202] as const)('a transfer in process is answered with %i', async (inProcess) => {
  await start({ inProcess });
  await transfer('54321987659909');
  const answer = await enquire();
  expect(answer.status).toBe(inProcess);
  expect(shapeOf(answer.body)).toEqual(shapeOf(HEAD));
});

test('without a valid token nothing is paid', async () => {
  await start();
  gateway.expireTokens();
  expect(await transfer('54321987654321')).toMatchObject({
    status: 401,
    body: { fault: { code: '900901' } },
  });
  await provider.callbacks();
  expect(emulator.truth()).toEqual([]);
});
