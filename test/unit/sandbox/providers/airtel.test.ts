import { constants, createHmac, publicEncrypt } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { AirtelEmulator } from '../../../../sandbox/providers/airtel/emulator.ts';
import type { AirtelOptions } from '../../../../sandbox/providers/airtel/emulator.ts';
import { createGateway } from '../../../../sandbox/providers/airtel/listener.ts';
import { shapeOf, startEmulatedProvider } from '../../../support/emulated-provider.ts';
import type { Answered, EmulatedProvider } from '../../../support/emulated-provider.ts';

// The samples of answers are those that global-121/121-platform received and keeps in its mock service
// (services/mock-service/src/fsp-integration/airtel); the callback is the sample of the portal's page.

const APPLICATION = { clientId: 'client', clientSecret: 'secret', pin: '1234' };
let provider: EmulatedProvider;
let emulator: AirtelEmulator;
let pin: string;

afterEach(async () => {
  await provider.close();
});

function encrypted(text: string, publicKey: string): string {
  const pem = `-----BEGIN PUBLIC KEY-----\n${publicKey}\n-----END PUBLIC KEY-----`;
  const key = { key: pem, padding: constants.RSA_PKCS1_PADDING };
  return publicEncrypt(key, Buffer.from(text)).toString('base64');
}

async function start(options: Partial<AirtelOptions> = {}): Promise<void> {
  emulator = new AirtelEmulator({
    endsAfterMs: 1,
    usedId: 'similar_exists',
    lateLookups: 0,
    callbackUrl: () => `${provider.callbackOrigin}/airtel`,
    ...options,
  });
  const gateway = createGateway(emulator, APPLICATION);
  pin = encrypted('1234', gateway.publicKey);
  provider = await startEmulatedProvider(emulator, gateway.listener);
  const answer = await provider.call('POST', '/auth/oauth2/token', {
    client_id: 'client',
    client_secret: 'secret',
    grant_type: 'client_credentials',
  });
  const { access_token: token } = answer.body as { readonly access_token: string };
  Object.assign(provider.headers, {
    authorization: `Bearer ${token}`,
    'x-country': 'KE',
    'x-currency': 'KES',
  });
}

const body = (msisdn: string, id = 'R1') => ({
  payee: { currency: 'KES', msisdn },
  reference: '1234',
  pin,
  transaction: { amount: 1000, id, type: 'B2C' },
});

const pay = async (msisdn: string, id?: string): Promise<Answered> =>
  await provider.call('POST', '/standard/v2/disbursements/', body(msisdn, id));

const enquire = async (id: string): Promise<Answered> =>
  await provider.call('GET', `/standard/v2/disbursements/${id}?transactionType=B2C`);

const codeOf = ({ body: answer }: Answered): string =>
  (answer as { readonly status: { readonly response_code: string } }).status.response_code;

const stateOf = ({ body: answer }: Answered): string =>
  (answer as { readonly data: { readonly transaction: { readonly status: string } } }).data
    .transaction.status;

test('a payment is answered as the live sample, and so is the enquiry by the partner’s id', async () => {
  await start();
  const sample = shapeOf({
    data: {
      transaction: {
        reference_id: 'CI250506.1824.H00006',
        airtel_money_id: 'disbursement-Y79CTORHGI-00000001',
        id: 'R1',
        status: 'TS',
      },
    },
    status: {
      response_code: 'DP00900001001',
      code: 200,
      success: true,
      result_code: 'ESB000010',
      message: 'You have sent KES 1000.00 to 733123456 TEST CUSTOMER. TID: CI250506.1824.H00006',
    },
  });
  const answers = [await pay('733123456'), await enquire('R1')];
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(answers.map((answer) => shapeOf(answer.body))).toEqual([sample, sample]);
  expect(answers.map((answer) => [codeOf(answer), stateOf(answer)])).toEqual([
    ['DP00900001001', 'TS'],
    ['DP00900001001', 'TS'],
  ]);
  expect(emulator.truth()).toMatchObject([
    { reference: 'R1', account: '733123456', amount: '1000.00' },
  ]);
});

test('a wrong secret gets no token, and a call without a valid one is refused', async () => {
  await start();
  const wrong = { client_id: 'client', client_secret: 'wrong' };
  expect(await provider.call('POST', '/auth/oauth2/token', wrong)).toMatchObject({
    status: 400,
    body: { error: 'invalid_client', error_description: 'Invalid client authentication' },
  });
  provider.headers['authorization'] = 'Bearer other';
  expect(await pay('733123456')).toMatchObject({
    status: 403,
    body: {
      error: 'invalid_token',
      error_description: 'The access token is invalid or has expired',
    },
  });
  expect(emulator.truth()).toEqual([]);
});

test.each([
  ['x-country', 'KEN', 400, 'Invalid Country Code'],
  ['x-currency', '', 200, 'Invalid/Missing Currency'],
])('a call with %s “%s” is refused as it was live', async (name, value, status, message) => {
  await start();
  provider.headers[name] = value;
  const answer = await pay('733123456');
  expect(answer).toMatchObject({
    status,
    body: { status: { code: 400, message, response_code: 'DP00900001013', success: false } },
  });
});

test('a phone number with the country code is refused with HTTP status 200, as it was live', async () => {
  await start();
  expect(await pay('254733123456')).toMatchObject({
    status: 200,
    body: {
      status: {
        code: 400,
        message: 'Invalid Msisdn Length. Msisdn Length should be 9',
        response_code: 'DP00900001013',
        success: false,
      },
    },
  });
  expect(emulator.truth()).toEqual([]);
});

test('a PIN that is not encrypted, or not the PIN, pays nothing', async () => {
  await start();
  for (const given of ['1234', Buffer.alloc(256, 1).toString('base64')]) {
    const answer = await provider.call('POST', '/standard/v2/disbursements/', {
      ...body('733123456'),
      pin: given,
    });
    expect(codeOf(answer)).toBe('DP00900001013');
  }
  expect(emulator.truth()).toEqual([]);
});

test.each([
  ['similar_exists', 'DP00900001011'],
  ['duplicate_id', 'DP00900001017'],
] as const)('a used id is refused as %s says, and pays nothing more', async (usedId, code) => {
  await start({ usedId });
  await pay('733123456');
  expect(codeOf(await pay('733123456'))).toBe(code);
  expect(emulator.truth()).toHaveLength(1);
});

test.each([
  ['9902', 'DP00900001012'],
  ['9933', 'DP00900001003'],
  ['9934', 'DP00900001004'],
  ['9935', 'DP00900001005'],
  ['9937', 'DP00900001007'],
  ['9939', 'DP00900001009'],
  ['9940', 'DP00900001010'],
  ['9943', 'DP00900001013'],
])('a phone that ends in %s is refused with %s, and its id was not used', async (suffix, code) => {
  await start();
  expect(codeOf(await pay(`73312${suffix}`))).toBe(code);
  expect(codeOf(await enquire('R1'))).toBe('DP00900001015');
  expect(emulator.truth()).toEqual([]);
});

test.each([
  ['9905', 'DP00900001006', 'TS'],
  ['9924', 'DP00900001006', 'TF'],
  ['9917', 'DP00900001000', 'TS'],
  ['9919', 'DP00900001000', 'TF'],
  ['9921', 'DP00900001014', 'TS'],
  ['9922', 'DP00900001014', 'TF'],
])('a phone that ends in %s is answered with %s, and ends as %s', async (suffix, code, state) => {
  await start();
  expect(codeOf(await pay(`73312${suffix}`))).toBe(code);
  await provider.callbacks();
  expect(stateOf(await enquire('R1'))).toBe(state);
  expect(emulator.truth()).toHaveLength(state === 'TS' ? 1 : 0);
});

test('a payment may be answered without the code that decides', async () => {
  await start();
  const { body: answer } = await pay('733129925');
  expect(answer).toMatchObject({ status: { code: 400, success: false } });
  expect(JSON.stringify(answer)).not.toContain('response_code');
  expect(emulator.truth()).toHaveLength(1);
});

test('a new payment may not be found for a while', async () => {
  await start({ lateLookups: 2 });
  await pay('733123456');
  const codes = [await enquire('R1'), await enquire('R1'), await enquire('R1')].map(codeOf);
  expect(codes).toEqual(['DP00900001015', 'DP00900001015', 'DP00900001001']);
});

test.each(['transaction', 'envelope'] as const)(
  'a callback has the fields of the portal’s sample, and a hash over the %s',
  async (over) => {
    await start({ hash: { key: 'private', over } });
    await pay('733123456');
    const [callback] = await provider.callbacks();
    const { hash, ...content } = JSON.parse(callback?.body ?? '') as {
      readonly hash: string;
      readonly transaction: object;
    };
    expect(shapeOf(content)).toEqual(
      shapeOf({
        transaction: {
          id: 'BBZMiscxy',
          message: 'Paid KES 5,000 to TEST LIMITED, Trans ID MP210603.1234.L06941.',
          status_code: 'TS',
          airtel_money_id: 'MP210603.1234.L06941',
        },
      }),
    );
    const hashed = JSON.stringify(over === 'transaction' ? content.transaction : content);
    expect(hash).toBe(createHmac('sha256', 'private').update(hashed).digest('base64'));
  },
);

test('a callback comes three times, or about another payment', async () => {
  await start();
  await pay('733129906', 'R1');
  await pay('733129920', 'R2');
  const told = (await provider.callbacks()).map(({ body: text }) => {
    const { transaction } = JSON.parse(text) as {
      readonly transaction: { readonly id: string; readonly status_code: string };
    };
    return `${transaction.id} ${transaction.status_code}`;
  });
  expect(told.toSorted()).toEqual(['R1 TS', 'R1 TS', 'R1 TS', 'R2 TS', 'R2X TF']);
  expect(emulator.truth()).toHaveLength(2);
});

test('v1 has no type, and is enquired at its own path', async () => {
  await start();
  const { transaction, ...rest } = body('733123456');
  const { type: _, ...untyped } = transaction;
  const answer = await provider.call('POST', '/standard/v1/disbursements/', {
    ...rest,
    transaction: untyped,
  });
  expect(codeOf(answer)).toBe('DP00900001001');
  expect(stateOf(await provider.call('GET', '/standard/v1/disbursements/R1'))).toBe('TS');
});
