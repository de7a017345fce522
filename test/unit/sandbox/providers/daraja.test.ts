import { afterEach, expect, test } from 'vitest';
import { DarajaEmulator } from '../../../../sandbox/providers/daraja/emulator.ts';
import type { DarajaOptions } from '../../../../sandbox/providers/daraja/emulator.ts';
import { createGateway } from '../../../../sandbox/providers/daraja/listener.ts';
import { shapeOf, startEmulatedProvider } from '../../../support/emulated-provider.ts';
import type { EmulatedProvider } from '../../../support/emulated-provider.ts';

// The samples are those of the portal's pages BusinessToCustomer and BusinessBuyGoods (Daraja 3.0).

const CREDENTIAL = 'RC6E9WDxXR4b9X2c6z3gp0oC5Th==';
let provider: EmulatedProvider;
let emulator: DarajaEmulator;

afterEach(async () => {
  await provider.close();
});

async function start(options: Partial<DarajaOptions> = {}): Promise<void> {
  emulator = new DarajaEmulator({
    resultAfterMs: 1,
    unknownId: 'code_25',
    originalId: 'originator',
    acceptsCredential: (credential) => credential === CREDENTIAL,
    ...options,
  });
  const gateway = createGateway(emulator, { consumerKey: 'key', consumerSecret: 'secret' });
  provider = await startEmulatedProvider(emulator, gateway.listener);
  const basic = `Basic ${Buffer.from('key:secret').toString('base64')}`;
  provider.headers['authorization'] = basic;
  const answer = await provider.call('GET', '/oauth/v1/generate?grant_type=client_credentials');
  const { access_token: token } = answer.body as { readonly access_token: string };
  provider.headers['authorization'] = `Bearer ${token}`;
}

/** The body of the page's sample. */
function toPhone(phone: string, id = '600997_Test_32et3241ed8yu') {
  return {
    OriginatorConversationID: id,
    InitiatorName: 'testapi',
    SecurityCredential: CREDENTIAL,
    CommandID: 'BusinessPayment',
    Amount: '10',
    PartyA: '600992',
    PartyB: phone,
    Remarks: 'remarked',
    QueueTimeOutURL: `${provider.callbackOrigin}/timeout`,
    ResultURL: `${provider.callbackOrigin}/result`,
    Occassion: 'ChristmasPay',
  };
}

const payPhone = async (phone: string, id?: string) =>
  await provider.call('POST', '/mpesa/b2c/v3/paymentrequest', toPhone(phone, id));

/** The Results that came to this path. */
async function results(path = '/result'): Promise<Record<string, unknown>[]> {
  return (await provider.callbacks())
    .filter(({ line }) => line === `POST ${path}`)
    .map(({ body }) => (JSON.parse(body) as { Result: Record<string, unknown> }).Result);
}

test('a payment to a phone is acknowledged with the caller’s own id', async () => {
  await start();
  const { status, body } = await payPhone('254705912645');
  expect(status).toBe(200);
  expect(body).toMatchObject({
    OriginatorConversationID: '600997_Test_32et3241ed8yu',
    ResponseCode: '0',
    ResponseDescription: 'Accept the service request successfully.',
  });
  expect(emulator.truth()).toMatchObject([
    { reference: '600997_Test_32et3241ed8yu', account: '254705912645', amount: '10.00' },
  ]);
});

test('the Result of a payment to a phone has the fields of the documented sample', async () => {
  await start();
  await payPhone('254705912645');
  const [result] = await results();
  expect(shapeOf(result)).toEqual(
    shapeOf({
      ResultType: 0,
      ResultCode: 0,
      ResultDesc: 'The service request is processed successfully.',
      OriginatorConversationID: '53e3-4aa8-9fe0-8fb5e4092cdd3533373',
      ConversationID: 'AG_20240706_2010364430d9bbdaf872',
      TransactionID: 'SG632NMUAB',
      ResultParameters: {
        ResultParameter: [
          { Key: 'TransactionAmount', Value: 10 },
          { Key: 'TransactionReceipt', Value: 'SG632NMUAB' },
          { Key: 'ReceiverPartyPublicName', Value: '254705912645 - TEST CUSTOMER' },
          { Key: 'TransactionCompletedDateTime', Value: '06.07.2024 22:48:52' },
          { Key: 'B2CUtilityAccountAvailableFunds', Value: 8_959_269.6 },
          { Key: 'B2CWorkingAccountAvailableFunds', Value: 1_199_371 },
          { Key: 'B2CRecipientIsRegisteredCustomer', Value: 'Y' },
          { Key: 'B2CChargesPaidAccountAvailableFunds', Value: -1980 },
        ],
      },
      ReferenceData: { ReferenceItem: { Key: 'QueueTimeoutURL', Value: 'https://example.com' } },
    }),
  );
  const parameters = JSON.stringify(result?.['ResultParameters']);
  expect(parameters).toMatch(
    /"TransactionCompletedDateTime","Value":"\d\d\.\d\d\.\d{4} \d\d:\d\d:\d\d"/,
  );
});

test('a failed payment to a phone has the fields of the documented sample, and a receipt of nothing', async () => {
  await start();
  await payPhone('254705919961');
  const [result] = await results();
  expect(Object.keys(result ?? {})).toEqual([
    'ResultType',
    'ResultCode',
    'ResultDesc',
    'OriginatorConversationID',
    'ConversationID',
    'TransactionID',
    'ReferenceData',
  ]);
  expect(result).toMatchObject({
    ResultType: 0,
    ResultCode: 2001,
    ResultDesc: 'The initiator information is invalid.',
    ReferenceData: { ReferenceItem: { Key: 'QueueTimeoutURL' } },
  });
  expect(emulator.truth()).toEqual([]);
});

test.each([
  ['9931', 1],
  ['9934', 4],
  ['9938', 8],
  ['9970', 2040],
  ['9993', 'SFC_IC0003'],
])('a phone that ends in %s is declined with code %s, and is not paid', async (suffix, code) => {
  await start();
  await payPhone(`25470591${suffix}`);
  expect(await results()).toMatchObject([{ ResultCode: code }]);
  expect(emulator.truth()).toEqual([]);
});

test('an id that was used is refused as the page says, and pays nothing more', async () => {
  await start();
  await payPhone('254705912645', 'id-1');
  const { status, body } = await payPhone('254705912645', 'id-1');
  expect(status).toBe(500);
  expect(shapeOf(body)).toEqual({
    requestId: 'string',
    errorCode: 'string',
    errorMessage: 'string',
  });
  expect(body).toMatchObject({
    errorCode: '500.002.1001',
    errorMessage: 'Duplicate OriginatorConversationID.',
  });
  expect(emulator.truth()).toHaveLength(1);
});

test('the same code with another text may have paid or not', async () => {
  await start();
  for (const phone of ['254705919917', '254705919922']) {
    const { status, body } = await payPhone(phone, phone);
    expect([status, body]).toMatchObject([
      500,
      { errorCode: '500.002.1001', errorMessage: 'System internal error.' },
    ]);
  }
  expect(emulator.truth()).toMatchObject([{ account: '254705919917' }]);
});

test('a payment by v1 has no id of the caller’s, and each request pays', async () => {
  await start();
  const { OriginatorConversationID: _, Occassion: occasion, ...v1 } = toPhone('254705912645');
  const body = { ...v1, Occasion: occasion };
  const answers = [
    await provider.call('POST', '/mpesa/b2c/v1/paymentrequest', body),
    await provider.call('POST', '/mpesa/b2c/v1/paymentrequest', body),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(emulator.truth()).toMatchObject([
    { reference: 'ChristmasPay' },
    { reference: 'ChristmasPay' },
  ]);
});

test.each(['OriginatorConversationID', 'InitiatorName', 'PartyB', 'Remarks', 'ResultURL'])(
  'a payment to a phone without %s is refused before anything happens',
  async (name) => {
    await start();
    const body = { ...toPhone('254705912645'), [name]: '' };
    const answer = await provider.call('POST', '/mpesa/b2c/v3/paymentrequest', body);
    expect(answer).toMatchObject({
      status: 400,
      body: { errorCode: '400.002.02', errorMessage: `Bad Request - Invalid ${name}` },
    });
    expect(emulator.truth()).toEqual([]);
  },
);

test('the status query finds a payment to a phone by the caller’s id and by its receipt', async () => {
  await start();
  await payPhone('254705919911', 'id-1');
  expect(await results()).toEqual([]);
  const ask = async (by: object) =>
    await provider.call('POST', '/mpesa/transactionstatus/v1/query', {
      ...by,
      ResultURL: `${provider.callbackOrigin}/status`,
    });
  await ask({ OriginalConversationID: 'id-1' });
  const [found] = await results('/status');
  await ask({ OriginalConversationID: 'id-2' });
  const [, unknown] = await results('/status');
  const parameters = JSON.stringify(found?.['ResultParameters']);
  expect(parameters).toContain('{"Key":"TransactionStatus","Value":"Completed"}');
  expect(parameters).toContain('{"Key":"OriginatorConversationID","Value":"id-1"}');
  expect(unknown).toMatchObject({ ResultCode: 25 });
  const [, receipt = ''] = /"ReceiptNo","Value":"(\w+)"/.exec(parameters) ?? [];
  await ask({ TransactionID: receipt });
  expect(await results('/status')).toHaveLength(3);
});

test('a queue time-out comes to its own URL, and the payment is made all the same', async () => {
  await start();
  await payPhone('254705919913');
  const lines = (await provider.callbacks()).map(({ line }) => line);
  expect(lines.toSorted()).toEqual(['POST /result', 'POST /timeout']);
  expect(emulator.truth()).toHaveLength(1);
});

test('a Result may name ids that are not the payment’s', async () => {
  await start();
  await payPhone('254705919920', 'id-1');
  const told = (await results()).map((result) =>
    [result['OriginatorConversationID'], result['ResultCode']].join(' '),
  );
  expect(told.toSorted()).toEqual(['5118-111210482-0 2006', 'id-1 0']);
});

test('code 17 comes both for a payment that was made and for one that was not', async () => {
  await start();
  await payPhone('254705919919', 'id-1');
  await payPhone('254705919921', 'id-2');
  expect(await results()).toMatchObject([{ ResultCode: 17 }, { ResultCode: 17 }]);
  expect(emulator.truth()).toMatchObject([{ reference: 'id-2' }]);
});

/** The body of the page BusinessBuyGoods. */
function toTill(receiverType: string) {
  return {
    Initiator: 'API_Username',
    SecurityCredential: CREDENTIAL,
    CommandID: 'BusinessBuyGoods',
    SenderIdentifierType: '4',
    RecieverIdentifierType: receiverType,
    Amount: '239',
    PartyA: '123456',
    PartyB: '000000',
    AccountReference: '353353',
    Requester: '254700000000',
    Remarks: 'OK',
    QueueTimeOutURL: `${provider.callbackOrigin}/timeout`,
    ResultURL: `${provider.callbackOrigin}/result`,
    Occassion: 'R1',
  };
}

test('a till is paid with the body of the documented sample', async () => {
  await start();
  const answer = await provider.call('POST', '/mpesa/b2b/v1/paymentrequest', toTill('4'));
  expect(shapeOf(answer.body)).toEqual({
    OriginatorConversationID: 'string',
    ConversationID: 'string',
    ResponseCode: 'string',
    ResponseDescription: 'string',
  });
  expect(await results()).toMatchObject([{ ResultCode: '0' }]);
  expect(emulator.truth()).toMatchObject([
    { reference: 'R1', biller: '000000', account: '353353', amount: '239.00' },
  ]);
});

test('a till that cannot be paid is reported as the page writes it', async () => {
  await start();
  const body = { ...toTill('4'), SecurityCredential: 'wrong' };
  await provider.call('POST', '/mpesa/b2b/v1/paymentrequest', body);
  expect(await results()).toMatchObject([
    {
      ResultCode: 2001,
      ResultParameters: { ResultParameter: { Key: 'BOCompletedTime' } },
      ReferenceData: { ReferenceItem: { Key: 'QueueTimeoutURL' } },
    },
  ]);
  expect(emulator.truth()).toEqual([]);
});

test.each(['4', '2'] as const)(
  'tills may be known by identifier type %s only, as one of the readings says',
  async (tillIdentifier) => {
    await start({ tillIdentifier });
    const other = tillIdentifier === '4' ? '2' : '4';
    const pay = async (receiverType: string) =>
      (await provider.call('POST', '/mpesa/b2b/v1/paymentrequest', toTill(receiverType))).status;
    expect([await pay(other), await pay(tillIdentifier)]).toEqual([400, 200]);
    expect(emulator.truth()).toHaveLength(1);
  },
);
