import { afterEach, describe, expect, test } from 'vitest';
import {
  readC2bPayment,
  readPulled,
} from '../../../../../src/connectors/sources/daraja/payment.ts';
import { createDarajaSource } from '../../../../../src/connectors/sources/daraja/source.ts';
import { startRecordingServer } from '../../../../support/recording-server.ts';
import type { RecordingServer } from '../../../../support/recording-server.ts';

// Requests and callbacks of incoming money, compared field by field with the documentation. Source:
// developer.safaricom.co.ke: Customer To Business (C2B), Pull Transactions, M-PESA Express; mirrored
// in JacksCodeVault/mpesa-daraja-mcp: daraja_docs_v3/docs, December 2025.

const { signal } = new AbortController();
const SECRET = { consumer_key: 'key', consumer_secret: 'secret', passkey: 'pass' };
const SHORT_CODE = '600100';
const OURS = { shortCode: SHORT_CODE, till: null };
const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

async function start(answer: unknown, status = 200, further: object = {}) {
  const server: RecordingServer = await startRecordingServer(
    (line) => (line.includes('/oauth/') ? { access_token: 'T', expires_in: '3599' } : answer),
    status,
  );
  const source = createDarajaSource({
    sourceCode: 'till',
    settings: {
      base_url: server.origin,
      short_code: SHORT_CODE,
      nominated_number: '254700000001',
      unreachable: 'Cancelled',
      ...further,
    },
    secret: JSON.stringify(SECRET),
    pathSecrets: [{ secret: 'paths', validUntil: null }],
    callbackUrl: 'https://m.example/receipts/till',
  });
  open.push(source, server);
  return {
    source,
    /** The only request after the one for a token. */
    sent: () => {
      const [token, request] = server.requests;
      expect(server.requests).toHaveLength(2);
      expect(token?.line).toBe('GET /oauth/v1/generate?grant_type=client_credentials');
      expect(request?.headers).toMatchObject({
        authorization: 'Bearer T',
        'content-type': 'application/json',
      });
      return [request?.line, JSON.parse(request?.body ?? '') as unknown];
    },
  };
}

const OUR_URL = /^https:\/\/m\.example\/receipts\/till\/[a-z]+\/0\/[0-9a-f]{32}$/;

test('C2B addresses are registered with POST /mpesa/c2b/v2/registerurl', async () => {
  const { source, sent } = await start({
    OriginatorCoversationID: '1',
    ResponseCode: '0',
    ResponseDescription: 'Success',
  });
  expect(await source.register(signal)).toEqual({ isDone: true, message: 'Success' });
  expect(sent()).toEqual([
    'POST /mpesa/c2b/v2/registerurl',
    {
      ShortCode: SHORT_CODE,
      ResponseType: 'Cancelled',
      ConfirmationURL: expect.stringMatching(OUR_URL),
      ValidationURL: expect.stringMatching(OUR_URL),
    },
  ]);
  // Not accepted in URLs: mpesa, safaricom, exe, exec, cmd, sql, query.
  const { confirmation, validation } = source.urls;
  expect(`${confirmation} ${validation}`).not.toMatch(/mpesa|safaricom|exe|cmd|sql|query/i);
  expect(confirmation).not.toBe(validation);
});

test('C2B: the URLs are registered already', async () => {
  const answer = { errorCode: '500.003.1001', errorMessage: 'Urls are already registered.' };
  const { source } = await start(answer);
  expect(await source.register(signal)).toMatchObject({ isDone: true });
});

const PAYMENT = {
  TransactionType: 'Pay Bill',
  TransID: 'UA51000001',
  TransTime: '20260105101530',
  TransAmount: '500.00',
  BusinessShortCode: SHORT_CODE,
  BillRefNumber: 'V001',
  InvoiceNumber: '',
  OrgAccountBalance: '1500.00',
  ThirdPartyTransID: '',
  MSISDN: '2547 ***** 001',
  FirstName: 'TEST',
  MiddleName: '',
  LastName: '',
};
const READ = {
  receipt: 'UA51000001',
  amountCents: 500_00n,
  paidAt: new Date('2026-01-05T07:15:30Z'),
  account: 'V001',
  payer: '2547 ***** 001 TEST',
  isReversal: false,
};

const ARRIVED = new Date('2026-01-05T08:00:00Z');

function readC2b(body: Buffer, shortCode = SHORT_CODE) {
  return readC2bPayment(body, { ...OURS, shortCode }, ARRIVED);
}

test('C2B: validation and confirmation, as documented', () => {
  const body = Buffer.from(JSON.stringify(PAYMENT));
  expect(readC2b(body)).toMatchObject({ ...READ, isOurs: true });
  expect(readC2b(body)).not.toHaveProperty('isArrivalTime');
  expect(readC2b(body, '600999')).toMatchObject({ isOurs: false });
});

test.each([
  ['TransID', 'TransID is no receipt number'],
  ['TransAmount', 'TransAmount is no amount'],
])('C2B: without %s it cannot be read', (name, problem) => {
  const body = Buffer.from(JSON.stringify({ ...PAYMENT, [name]: undefined }));
  expect(readC2b(body)).toBe(problem);
});

test.each([
  undefined,
  '',
  '202601051015',
  '20260105101530123',
  '05/01/2026 10:15',
  '20260230101530',
])('C2B: a time such as %j is not read, and the time of arrival counts', (TransTime) => {
  const body = Buffer.from(JSON.stringify({ ...PAYMENT, TransTime }));
  expect(readC2b(body)).toMatchObject({ ...READ, paidAt: ARRIVED, isArrivalTime: true });
});

test('C2B: a byte order mark, a byte that is not UTF-8 in a name, and commas in the amount do not matter', () => {
  const text = JSON.stringify({ ...PAYMENT, TransAmount: '1,500.00', LastName: '~' });
  const bytes = Buffer.from(`\uFEFF${text}`);
  bytes[bytes.indexOf('~')] = 0xe9;
  const payer = '2547 ***** 001 TEST \uFFFD';
  expect(readC2b(bytes)).toMatchObject({ ...READ, amountCents: 150_000n, payer });
});

test('C2B: a broken byte matters where it changes what is read', () => {
  const broken = (name: string, value: string) => {
    const bytes = Buffer.from(JSON.stringify({ ...PAYMENT, [name]: value }));
    bytes[bytes.indexOf('~')] = 0xff;
    return readC2b(bytes);
  };
  expect(broken('TransID', 'UA5~000001')).toBe('TransID is no receipt number');
  expect(broken('TransAmount', '5~0.00')).toBe('TransAmount is no amount');
  expect(broken('BillRefNumber', 'V~01')).toMatchObject({ account: 'V\uFFFD01' });
  expect(broken('TransactionType', 'Re~ersal')).toMatchObject({ unknownType: 'Re\uFFFDersal' });
});

test.each(['v1', 'v2'])(
  'C2B: registers its URLs with the version %s of the API',
  async (version) => {
    const settings = { register_version: version };
    const { source, sent } = await start({ ResponseCode: '0' }, 200, settings);
    expect(await source.register(signal)).toMatchObject({ isDone: true });
    expect(sent()[0]).toBe(`POST /mpesa/c2b/${version}/registerurl`);
  },
);

test('Pull: POST /pulltransactions/v1/register', async () => {
  const { source, sent } = await start({ ResponseStatus: '1001', ShortCode: SHORT_CODE });
  expect(await source.registerPull?.(signal)).toMatchObject({ isDone: true });
  expect(sent()).toEqual([
    'POST /pulltransactions/v1/register',
    {
      ShortCode: SHORT_CODE,
      RequestType: 'Pull',
      NominatedNumber: '254700000001',
      CallBackURL: expect.stringMatching(OUR_URL),
    },
  ]);
});

const ROW = {
  transactionId: 'UA51000001',
  trxDate: '2026-01-05T10:15:30+03:00',
  msisdn: '2547 ***** 001',
  sender: 'TEST',
  transactiontype: 'Pay Bill',
  billreference: 'V001',
  amount: '500.0',
  organizationname: 'Example',
};

test('Pull: the registration may answer with blanks in its names', async () => {
  const { source } = await start({
    ...{ 'Response Status': '1000', 'Response Description': 'Registered', ShortCode: SHORT_CODE },
  });
  expect(await source.registerPull?.(signal)).toEqual({ isDone: true, message: 'Registered' });
});

test('Pull: POST /pulltransactions/v1/query, with a list in a list', async () => {
  const answer = { ResponseRefID: '1', ResponseCode: '1000', Response: [[ROW]] };
  const { source, sent } = await start(answer);
  const from = new Date('2026-01-05T06:00:00Z');
  const to = new Date('2026-01-05T08:00:00Z');
  expect(await source.pull?.({ from, to, offset: 100 }, signal)).toMatchObject({
    payments: [READ],
    unreadable: [],
  });
  expect(sent()).toEqual([
    'POST /pulltransactions/v1/query',
    {
      ShortCode: SHORT_CODE,
      StartDate: '2026-01-05 09:00:00',
      EndDate: '2026-01-05 11:00:00',
      OffSetValue: '100',
    },
  ]);
});

test('Pull: reads the sample of the page, whose ids are not all in capitals', () => {
  const row = {
    transactionId: 'yzlyrEsRG1',
    trxDate: '2020-08-05T10:13:00Z',
    msisdn: 72_200_000,
    sender: 'UAT2',
    transactiontype: 'c2b-pay-bill-debit',
    billreference: '37207636392',
    amount: '168.00',
    organizationname: 'Daraja Pull API Test',
  };
  const sample = {
    ResponseRefID: '26178-42530161-2',
    ResponseCode: '1000',
    ResponseMessage: 'Success',
    Response: [[row, { ...row, transactionId: 'ZobjR29vdz', amount: 647 }]],
  };
  const read = readPulled(Buffer.from(JSON.stringify(sample)), OURS, ARRIVED);
  expect(read).toMatchObject({ unreadable: [], others: [] });
  expect(read?.payments).toEqual([
    {
      receipt: 'YZLYRESRG1',
      amountCents: 168_00n,
      // Without regard to its Z: all of Daraja's times are those of East Africa.
      paidAt: new Date('2020-08-05T07:13:00Z'),
      account: '37207636392',
      payer: '72200000 UAT2',
      isReversal: false,
    },
    expect.objectContaining({ receipt: 'ZOBJR29VDZ', amountCents: 647_00n }),
  ]);
});

test('C2B: reads the sample of the page, and the digest of a number that version 1 reports', () => {
  const sample = {
    TransactionType: 'Pay Bill',
    TransID: 'RKL51ZDR4F',
    TransTime: '20231121121325',
    TransAmount: '5.00',
    BusinessShortCode: '600966',
    BillRefNumber: 'Sample Transaction',
    InvoiceNumber: '',
    OrgAccountBalance: '25.00',
    ThirdPartyTransID: '',
    MSISDN: '2547 ***** 126',
    FirstName: 'NICHOLAS',
    MiddleName: '',
    LastName: '',
  };
  const read = (changes: object) =>
    readC2b(Buffer.from(JSON.stringify({ ...sample, ...changes })), '600966');
  expect(read({})).toEqual({
    receipt: 'RKL51ZDR4F',
    amountCents: 5_00n,
    paidAt: new Date('2023-11-21T09:13:25Z'),
    account: 'Sample Transaction',
    payer: '2547 ***** 126 NICHOLAS',
    isReversal: false,
    isOurs: true,
    isContradictory: false,
  });
  const digest = 'a1'.repeat(32);
  expect(read({ MSISDN: digest })).toMatchObject({ payer: `${digest} NICHOLAS` });
});

test.each<[string, object, object | undefined]>([
  [
    'nothing found, as the page says it',
    { ResponseCode: '1001', Transaction: '[[]]' },
    { payments: [], mayBeUnknown: true },
  ],
  ['nothing found', { ResponseCode: '1001' }, { payments: [], mayBeUnknown: true }],
  [
    'nothing found, as lists',
    { ResponseCode: '1001', Response: [[]] },
    { payments: [], mayBeUnknown: true },
  ],
  [
    'nothing found, as text',
    { ResponseCode: '1001', Response: '[[]]' },
    { payments: [], mayBeUnknown: true },
  ],
  ['text in place of rows', { ResponseCode: '1000', Response: '[[]]' }, undefined],
  [
    'movements of our own, and a type that nobody knows',
    {
      ResponseCode: '1000',
      Response: [
        [
          { ...ROW, transactiontype: 'merchant-to-organization-settlement' },
          { ...ROW, transactiontype: 'c2b-buy-goods-debit' },
          { ...ROW, transactiontype: 'hakikisha' },
          { ...ROW, transactiontype: 'c2b-pay-bill-reversal' },
          'x',
          { ...ROW, trxDate: '' },
          { ...ROW, amount: 'x' },
        ],
      ],
    },
    {
      others: ['UA51000001, merchant-to-organization-settlement, 500.0'],
      unreadable: [
        { problem: 'it is no JSON object', body: Buffer.from('"x"') },
        { problem: 'amount is no amount' },
      ],
      payments: [
        READ,
        { ...READ, unknownType: 'hakikisha' },
        { ...READ, isReversal: true },
        { ...READ, paidAt: ARRIVED, isArrivalTime: true },
      ],
    },
  ],
  ['a failure under HTTP 200', { ResponseCode: '1002' }, undefined],
  ['no code', { Response: [[ROW]] }, undefined],
])('reads the answer to a pull: %s', (_what, answer, page) => {
  const read = readPulled(Buffer.from(JSON.stringify(answer)), OURS, ARRIVED);
  if (page === undefined) expect(read).toBeUndefined();
  else expect(read).toMatchObject(page);
});

const PUSH = { phone: '254700000001', amountCents: 500_00n, account: 'V001' };

test('prompts are sent as M-PESA Express: POST /mpesa/stkpush/v1/processrequest', async () => {
  const { source, sent } = await start({
    MerchantRequestID: '29115-34620561-1',
    CheckoutRequestID: 'ws_CO_050120261015300001',
    ResponseCode: '0',
    ResponseDescription: 'Success',
    CustomerMessage: 'Success',
  });
  expect(await source.sendPush?.(PUSH, signal)).toEqual({
    kind: 'sent',
    checkoutId: 'ws_CO_050120261015300001',
  });
  const [line, body] = sent() as [string, Record<string, string>];
  const { Timestamp: stamp = '', TransactionDesc: description = '' } = body;
  expect(line).toBe('POST /mpesa/stkpush/v1/processrequest');
  expect(body).toEqual({
    BusinessShortCode: SHORT_CODE,
    Password: Buffer.from(`${SHORT_CODE}pass${stamp}`).toString('base64'),
    Timestamp: expect.stringMatching(/^20\d{12}$/),
    TransactionType: 'CustomerPayBillOnline',
    Amount: '500',
    PartyA: '254700000001',
    PartyB: SHORT_CODE,
    PhoneNumber: '254700000001',
    CallBackURL: expect.stringMatching(OUR_URL),
    AccountReference: 'V001',
    TransactionDesc: expect.any(String),
  });
  expect(description.length).toBeLessThanOrEqual(13);
});

test('prompts are queried with POST /mpesa/stkpushquery/v1/query', async () => {
  const { source, sent } = await start({ ResponseCode: '0', ResultCode: '1032', ResultDesc: 'x' });
  const state = await source.queryPush?.('ws_CO_1', signal);
  expect(state).toEqual({ kind: 'failed', reason: '1032: x' });
  const [line, body] = sent() as [string, Record<string, string>];
  expect(line).toBe('POST /mpesa/stkpushquery/v1/query');
  expect(body).toEqual({
    BusinessShortCode: SHORT_CODE,
    Password: Buffer.from(`${SHORT_CODE}pass${body['Timestamp']}`).toString('base64'),
    Timestamp: expect.stringMatching(/^20\d{12}$/),
    CheckoutRequestID: 'ws_CO_1',
  });
});

describe('a till', () => {
  const TILL = '5001234';
  const AT_TILL = { shortCode: SHORT_CODE, till: TILL };

  // The same sources: a till's URLs are registered for its store, and BillRefNumber is empty.
  const confirmed = {
    TransactionType: 'Buy Goods',
    TransID: 'UKS1AAAA01',
    TransTime: '20261130101530',
    TransAmount: '980.50',
    BusinessShortCode: SHORT_CODE,
    BillRefNumber: '',
    InvoiceNumber: '',
    OrgAccountBalance: '31500.00',
    ThirdPartyTransID: '',
    MSISDN: '2547 ***** 001',
    FirstName: 'TEST',
  };
  const read = (change: object) =>
    readC2bPayment(Buffer.from(JSON.stringify({ ...confirmed, ...change })), AT_TILL, ARRIVED);

  test('has its own number as the account number of its payments', () => {
    expect(read({})).toMatchObject({ account: TILL, amountCents: 98_050n, isOurs: true });
    expect(read({ BillRefNumber: null })).toMatchObject({ account: TILL });
    expect(read({ BillRefNumber: 'V001' })).toMatchObject({ account: 'V001' });
  });

  test('is named by its own number or by that of its store, and by no other', () => {
    expect(read({ BusinessShortCode: TILL })).toMatchObject({ isOurs: true });
    expect(read({ BusinessShortCode: '5001235' })).toMatchObject({ isOurs: false });
  });

  test('has the same account number in the pull', () => {
    const row = {
      ...{
        transactionId: 'UKS1AAAA01',
        trxDate: '2026-11-30T10:15:30+03:00',
        msisdn: 254700000001,
      },
      ...{ sender: 'MPESA', transactiontype: 'c2b-buy-goods-debit', billreference: '' },
      ...{ amount: '980.50', organizationname: 'Daraja Pull API Test' },
    };
    const pulled = Buffer.from(
      JSON.stringify({ ResponseCode: '1000', ResponseMessage: 'Success', Response: [[row]] }),
    );
    expect(readPulled(pulled, AT_TILL, ARRIVED)?.payments).toMatchObject([
      { receipt: 'UKS1AAAA01', account: TILL, amountCents: 98_050n, isReversal: false },
    ]);
    expect(readPulled(pulled, OURS, ARRIVED)?.payments).toMatchObject([{ account: null }]);
  });

  test('gets a prompt as CustomerBuyGoodsOnline, to the till', async () => {
    const accepted = { ResponseCode: '0', CheckoutRequestID: 'ws_CO_1' };
    const { source, sent } = await start(accepted, 200, { till: TILL });
    expect(await source.sendPush?.({ ...PUSH, account: TILL }, signal)).toMatchObject({
      kind: 'sent',
    });
    expect(sent()[1]).toMatchObject({
      TransactionType: 'CustomerBuyGoodsOnline',
      BusinessShortCode: SHORT_CODE,
      PartyB: TILL,
      AccountReference: TILL,
    });
  });

  test('gets no prompt for another account number, whose payment would credit the till’s vendor', async () => {
    const { source } = await start({}, 200, { till: TILL });
    expect(await source.sendPush?.({ ...PUSH, account: 'V001' }, signal)).toEqual({
      kind: 'refused',
      reason: expect.stringContaining('5001234, not V001') as string,
    });
  });
});
