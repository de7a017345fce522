/**
 * Requests of public clients that are not healthy enough to be dependencies, as they sent them: written down from their
 * traffic to a local server. Ids, URLs and credentials are invented; `{token}`, `{now}` and `{callbacks}` are filled in.
 */
export interface SentRequest {
  readonly client: string;
  /** What it does, for people. */
  readonly does: string;
  /** Method and path. */
  readonly line: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

const MPESA_NODE = 'mpesa-node 0.1.3';
const MPESA_API = 'mpesa-api 3.0.2';
const VTPASS_SDK = '@obipascal/vtpass-nodejs-sdk 1.0.11';
const MTN_MOMO = 'mtn-momo 2.0.0';

const JSON_BODY = { 'content-type': 'application/json' };
const BEARER = { authorization: 'Bearer {token}', ...JSON_BODY };
const URLS = { QueueTimeOutURL: '{callbacks}/timeout', ResultURL: '{callbacks}/result' };

/** npm: mpesa-node depends on axios 0.18, the newest release of mpesa-api is of January 2021. */
export const DARAJA: readonly SentRequest[] = [
  {
    client: MPESA_NODE,
    does: 'asks for a token',
    line: 'GET /oauth/v1/generate?grant_type=client_credentials',
    headers: { authorization: 'Basic a2V5OnNlY3JldA==', ...JSON_BODY },
  },
  {
    client: MPESA_NODE,
    does: 'pays a pay bill, with numbers for texts and without Requester and Occassion',
    line: 'POST /mpesa/b2b/v1/paymentrequest',
    headers: BEARER,
    body: {
      Initiator: 'apiop01',
      SecurityCredential: 'credential',
      CommandID: 'BusinessPayBill',
      SenderIdentifierType: 4,
      RecieverIdentifierType: 4,
      Amount: 190,
      PartyA: 600_100,
      PartyB: 600_200,
      AccountReference: '12345678901',
      Remarks: 'B2B Request',
      ...URLS,
    },
  },
  {
    client: MPESA_NODE,
    does: 'pays a phone by version 1, without Occasion',
    line: 'POST /mpesa/b2c/v1/paymentrequest',
    headers: BEARER,
    body: {
      InitiatorName: 'apiop01',
      SecurityCredential: 'credential',
      CommandID: 'BusinessPayment',
      Amount: 100,
      PartyA: 600_100,
      PartyB: 254_700_000_001,
      Remarks: 'B2C Payment',
      ...URLS,
    },
  },
  {
    client: MPESA_API,
    does: 'pays a phone by version 1',
    line: 'POST /mpesa/b2c/v1/paymentrequest',
    headers: BEARER,
    body: {
      InitiatorName: 'apiop01',
      SecurityCredential: 'credential',
      CommandID: 'BusinessPayment',
      Amount: 100,
      PartyA: '600100',
      PartyB: '254700000001',
      Remarks: 'r',
      ...URLS,
      Occasion: 'o',
    },
  },
  {
    client: MPESA_NODE,
    does: 'asks about a payment by its receipt',
    line: 'POST /mpesa/transactionstatus/v1/query',
    headers: BEARER,
    body: {
      Initiator: 'apiop01',
      SecurityCredential: 'credential',
      CommandID: 'TransactionStatusQuery',
      TransactionID: '{receipt}',
      PartyA: 600_100,
      IdentifierType: 4,
      ...URLS,
      Remarks: 'TransactionReversal',
      Occasion: 'TransactionReversal',
    },
  },
  {
    client: MPESA_NODE,
    does: 'asks for the balance',
    line: 'POST /mpesa/accountbalance/v1/query',
    headers: BEARER,
    body: {
      Initiator: 'apiop01',
      SecurityCredential: 'credential',
      CommandID: 'AccountBalance',
      PartyA: 600_100,
      IdentifierType: 4,
      Remarks: 'Checking account balance',
      ...URLS,
    },
  },
  {
    client: MPESA_NODE,
    does: 'registers URLs by version 1',
    line: 'POST /mpesa/c2b/v1/registerurl',
    headers: BEARER,
    body: {
      ShortCode: 600_200,
      ResponseType: 'Completed',
      ConfirmationURL: '{callbacks}/confirmation',
      ValidationURL: '{callbacks}/validation',
    },
  },
  {
    client: MPESA_NODE,
    does: 'simulates a customer by version 1',
    line: 'POST /mpesa/c2b/v1/simulate',
    headers: BEARER,
    body: {
      ShortCode: 600_200,
      CommandID: 'CustomerPayBillOnline',
      Amount: 500,
      Msisdn: 254_700_000_001,
      BillRefNumber: 'V001',
    },
  },
  {
    client: MPESA_NODE,
    does: 'prompts a customer',
    line: 'POST /mpesa/stkpush/v1/processrequest',
    headers: BEARER,
    body: {
      BusinessShortCode: '600200',
      Password: 'NjAwMjAwcGFzczIwMjYxMTMwMDcwNTIw',
      Timestamp: '20261130070520',
      TransactionType: 'CustomerPayBillOnline',
      Amount: 500,
      PartyA: 254_700_000_001,
      PartyB: '600200',
      PhoneNumber: 254_700_000_001,
      CallBackURL: '{callbacks}/prompt',
      AccountReference: 'V001',
      TransactionDesc: 'Lipa na mpesa online',
    },
  },
  {
    client: MPESA_API,
    does: 'prompts a customer, without PhoneNumber',
    line: 'POST /mpesa/stkpush/v1/processrequest',
    headers: BEARER,
    body: {
      BusinessShortCode: 600_200,
      Password: 'NjAwMjAwcGFzczIwMjYxMTMwMDcxMTU2',
      Timestamp: '20261130071156',
      TransactionType: 'CustomerPayBillOnline',
      Amount: 500,
      PartyA: '254700000001',
      PartyB: '600200',
      CallBackURL: '{callbacks}/prompt',
      AccountReference: 'V001',
      TransactionDesc: 'x',
    },
  },
  {
    client: MPESA_API,
    does: 'asks about a prompt',
    line: 'POST /mpesa/stkpushquery/v1/query',
    headers: BEARER,
    body: {
      BusinessShortCode: 600_200,
      Password: 'NjAwMjAwcGFzczIwMjYxMTMwMDcxMTU2',
      Timestamp: '20261130071156',
      CheckoutRequestID: '{checkout}',
    },
  },
];

const KEYS = { 'api-key': 'a', 'secret-key': 's', ...JSON_BODY };

/** npm: its entry for `import` cannot be loaded by Node, it has no licence file, and one person keeps it. */
export const VTPASS: readonly SentRequest[] = [
  {
    client: VTPASS_SDK,
    does: 'looks up a meter',
    line: 'POST /api/merchant-verify',
    headers: KEYS,
    body: { billersCode: '1111111111111', serviceID: 'example-electric', type: 'prepaid' },
  },
  {
    client: VTPASS_SDK,
    does: 'buys electricity, with the amount as a number',
    line: 'POST /api/pay',
    headers: KEYS,
    body: {
      billersCode: '1111111111111',
      serviceID: 'example-electric',
      variation_code: 'prepaid',
      amount: 500,
      phone: '254700000001',
      request_id: '{now}hnxibnt7',
    },
  },
  {
    client: VTPASS_SDK,
    does: 'buys airtime, where the phone is the account',
    line: 'POST /api/pay',
    headers: KEYS,
    body: {
      amount: 100,
      phone: '254700000001',
      serviceID: 'example-airtime',
      request_id: '{now}rvqdp9u0',
    },
  },
];

const MOMO = { 'ocp-apim-subscription-key': 'sub', 'x-target-environment': 'sandbox' };

/** npm: it depends on a release of axios before 1.0. */
export const MOMO_TRANSFERS: readonly SentRequest[] = [
  {
    client: MTN_MOMO,
    does: 'asks for a token',
    line: 'POST /disbursement/token/',
    headers: { ...MOMO, authorization: 'Basic dXNlcjprZXk=' },
  },
  {
    client: MTN_MOMO,
    does: 'pays',
    line: 'POST /disbursement/v1_0/transfer',
    headers: {
      ...MOMO,
      ...BEARER,
      'x-reference-id': '12d59716-4e11-4aef-922a-cd4cfeaec48c',
    },
    body: {
      amount: '100',
      currency: 'KES',
      externalId: 'p-1',
      payee: { partyIdType: 'MSISDN', partyId: '254700000001' },
      payerMessage: 'a',
      payeeNote: 'b',
    },
  },
  {
    client: MTN_MOMO,
    does: 'asks about a payment',
    line: 'GET /disbursement/v1_0/transfer/12d59716-4e11-4aef-922a-cd4cfeaec48c',
    headers: { ...MOMO, authorization: 'Bearer {token}' },
  },
];
