import { afterEach, beforeEach, expect, test } from 'vitest';
import { createGateway } from '../../../../sandbox/providers/daraja/listener.ts';
import { MoneyInEmulator } from '../../../../sandbox/providers/daraja/money-in.ts';
import { shapeOf, startEmulatedProvider } from '../../../support/emulated-provider.ts';
import type { EmulatedProvider } from '../../../support/emulated-provider.ts';

// The samples are those of the portal's pages Customer To Business (C2B), Pull Transactions and M-PESA Express.

let provider: EmulatedProvider;
let emulator: MoneyInEmulator;

beforeEach(async () => {
  emulator = new MoneyInEmulator({ shortCode: '600984', registersOnce: true });
  const app = { consumerKey: 'key', consumerSecret: 'secret' };
  provider = await startEmulatedProvider(
    emulator,
    createGateway(undefined, app, emulator).listener,
  );
  const basic = `Basic ${Buffer.from('key:secret').toString('base64')}`;
  provider.headers['authorization'] = basic;
  const { body } = await provider.call('GET', '/oauth/v1/generate?grant_type=client_credentials');
  const { access_token: token } = body as { readonly access_token: string };
  provider.headers['authorization'] = `Bearer ${token}`;
});

afterEach(async () => {
  await provider.close();
});

const register = async (version = 'v2') =>
  await provider.call('POST', `/mpesa/c2b/${version}/registerurl`, {
    ShortCode: '600984',
    ResponseType: 'Cancelled',
    ConfirmationURL: `${provider.callbackOrigin}/confirmation`,
    ValidationURL: `${provider.callbackOrigin}/validation`,
  });

const pays = async () =>
  await emulator.receive({ account: 'V001', amount: '5.00', msisdn: '254708374149' });

/** The bodies that came to this path. */
const told = async (path: string): Promise<readonly Readonly<Record<string, unknown>>[]> =>
  (await provider.callbacks())
    .filter(({ line }) => line === `POST ${path}`)
    .map(({ body }) => JSON.parse(body) as Readonly<Record<string, unknown>>);

test('registers URLs with the answer of the documented sample, and once', async () => {
  expect((await register()).body).toMatchObject({
    OriginatorCoversationID: expect.any(String) as string,
    ResponseCode: '0',
    ResponseDescription: 'success',
  });
  expect(await register()).toMatchObject({
    status: 500,
    body: { errorCode: '500.003.1001', errorMessage: 'Urls are already registered.' },
  });
});

const CONFIRMATION = {
  TransactionType: 'Pay Bill',
  TransID: 'RKL51ZDR4F',
  TransTime: '20231121121325',
  TransAmount: '5.00',
  BusinessShortCode: '600984',
  BillRefNumber: 'V001',
  InvoiceNumber: '',
  OrgAccountBalance: '25.00',
  ThirdPartyTransID: '',
  MSISDN: '2547 ***** 149',
  FirstName: 'NICHOLAS',
  MiddleName: '',
  LastName: '',
};

test('confirms a payment with the fields of the documented sample', async () => {
  await register();
  const made = await pays();
  const [confirmation] = await told('/confirmation');
  expect(shapeOf(confirmation)).toEqual(shapeOf(CONFIRMATION));
  expect(confirmation).toMatchObject({
    TransID: made?.receipt,
    TransTime: expect.stringMatching(/^\d{14}$/) as string,
    TransAmount: '5.00',
    MSISDN: expect.stringMatching(/^2547 \*{5} \d{3}$/) as string,
  });
});

test('asks for validation with the fields of a confirmation, and without a balance', async () => {
  await register();
  emulator.enableValidation();
  await pays();
  const [validation] = await told('/validation');
  expect(shapeOf(validation)).toEqual(shapeOf(CONFIRMATION));
  expect(validation).toMatchObject({ OrgAccountBalance: '' });
  // The receiver of this test does not accept.
  expect(emulator.truth()).toEqual([]);
});

test('reports the number of the payer to URLs of version 1 as a digest', async () => {
  await register('v1');
  await pays();
  const [confirmation] = await told('/confirmation');
  expect(confirmation?.['MSISDN']).toMatch(/^[0-9a-f]{64}$/);
});

const pull = async (offset = '0') =>
  await provider.call('POST', '/pulltransactions/v1/query', {
    ShortCode: '600984',
    StartDate: '2026-01-01 00:00:00',
    EndDate: '2099-01-01 00:00:00',
    OffSetValue: offset,
  });

test('lists payments with the fields of the documented sample, a list in a list', async () => {
  await register();
  const made = await pays();
  const { status, body } = await pull();
  expect(status).toBe(200);
  const row = {
    transactionId: 'yzlyrEsRG1',
    trxDate: '2020-08-05T10:13:00Z',
    msisdn: 722_000_000,
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
    Response: [[row]],
  };
  expect(shapeOf(body)).toEqual(shapeOf(sample));
  expect(body).toMatchObject({
    ResponseCode: '1000',
    Response: [
      [
        {
          transactionId: made?.receipt,
          trxDate: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) as string,
          transactiontype: 'c2b-pay-bill-debit',
        },
      ],
    ],
  });
});

test('says that there is nothing as the page does, with HTTP 200', async () => {
  expect(await pull()).toMatchObject({
    status: 200,
    body: { ResponseCode: '1001', Transaction: '[[]]' },
  });
});

test('registers a short code for the pull with the answer of the page', async () => {
  const answer = await provider.call('POST', '/pulltransactions/v1/register', {
    ShortCode: '600984',
    RequestType: 'Pull',
    NominatedNumber: '254722000000',
    CallBackURL: `${provider.callbackOrigin}/pull`,
  });
  expect(answer.body).toMatchObject({
    ResponseRefID: expect.any(String) as string,
    ResponseStatus: '1000',
    ShortCode: '600984',
    ResponseDescription: expect.any(String) as string,
  });
});

const PROMPT = {
  BusinessShortCode: '600984',
  Password: 'MTc0Mzc5YmZiMjc5',
  Timestamp: '20210628092408',
  TransactionType: 'CustomerPayBillOnline',
  Amount: '1',
  PartyA: '254722000000',
  PartyB: '600984',
  PhoneNumber: '254722111111',
  AccountReference: 'accountref',
  TransactionDesc: 'txndesc',
};

const prompt = async (changes: object = {}) =>
  await provider.call('POST', '/mpesa/stkpush/v1/processrequest', {
    ...PROMPT,
    CallBackURL: `${provider.callbackOrigin}/prompt`,
    ...changes,
  });

test('accepts a prompt, and calls back as the documented samples say', async () => {
  const accepted = await prompt();
  const sample = {
    MerchantRequestID: '2654-4b64-97ff-b827b542881d3130',
    CheckoutRequestID: 'ws_CO_1007202409152617172396192',
    ResponseCode: '0',
    ResponseDescription: 'Success. Request accepted for processing',
    CustomerMessage: 'Success. Request accepted for processing',
  };
  expect(shapeOf(accepted.body)).toEqual(shapeOf(sample));
  const { CheckoutRequestID, MerchantRequestID } = accepted.body as typeof sample;
  expect(await told('/prompt')).toEqual([
    {
      Body: {
        stkCallback: {
          MerchantRequestID,
          CheckoutRequestID,
          ResultCode: 0,
          ResultDesc: 'The service request is processed successfully.',
          CallbackMetadata: {
            Item: [
              { Name: 'Amount', Value: 1 },
              { Name: 'MpesaReceiptNumber', Value: expect.any(String) as string },
              { Name: 'Balance' },
              { Name: 'TransactionDate', Value: expect.any(Number) as number },
              { Name: 'PhoneNumber', Value: 254_722_111_111 },
            ],
          },
        },
      },
    },
  ]);
});

test('calls back about a prompt that was cancelled, without CallbackMetadata', async () => {
  await prompt({ PhoneNumber: '254722119932' });
  expect(await told('/prompt')).toEqual([
    {
      Body: {
        stkCallback: {
          MerchantRequestID: expect.any(String) as string,
          CheckoutRequestID: expect.any(String) as string,
          ResultCode: 1032,
          ResultDesc: expect.any(String) as string,
        },
      },
    },
  ]);
  expect(emulator.truth()).toEqual([]);
});

test('answers questions about a prompt as the documented sample, and with an error while it waits', async () => {
  const ask = async ({ body }: { readonly body: unknown }) =>
    await provider.call('POST', '/mpesa/stkpushquery/v1/query', {
      BusinessShortCode: '600984',
      Password: PROMPT.Password,
      Timestamp: PROMPT.Timestamp,
      CheckoutRequestID: (body as { readonly CheckoutRequestID: string }).CheckoutRequestID,
    });
  expect(await ask(await prompt({ PhoneNumber: '254722119909' }))).toMatchObject({
    status: 500,
    body: { errorCode: '500.001.1001', errorMessage: 'The transaction is being processed' },
  });
  const sample = {
    ResponseCode: '0',
    ResponseDescription: 'The service request has been accepted successfully',
    MerchantRequestID: '22205-34066-1',
    CheckoutRequestID: 'ws_CO_13012021093521236557',
    ResultCode: '0',
    ResultDesc: 'The service request is processed successfully.',
  };
  const { status, body } = await ask(await prompt());
  expect(status).toBe(200);
  expect(shapeOf(body)).toEqual(shapeOf(sample));
  expect(body).toMatchObject({ ResultCode: '0' });
});

test.each(Object.keys(PROMPT))('refuses a prompt without %s', async (name) => {
  expect(await prompt({ [name]: undefined })).toMatchObject({
    status: 400,
    body: { errorCode: '400.002.02', errorMessage: `Bad Request - Invalid ${name}` },
  });
  expect(emulator.truth()).toEqual([]);
});
