import { createHmac, generateKeyPairSync, privateDecrypt, constants } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import type {
  CallbackRequest,
  SentPayment,
} from '../../../../../src/connectors/operator-callbacks.ts';
import type { Connector } from '../../../../../src/connectors/operator.ts';
import { http } from '../../../../../src/connectors/operators/http/protocol.ts';
import { connectTo, settingsOf } from '../../../../conformance/subjects/emulated.ts';
import { startRecordingServer } from '../../../../support/recording-server.ts';
import type { Recorded } from '../../../../support/recording-server.ts';

// The settings files that are shipped, against the samples of the providers' documents, field by field.

const { signal } = new AbortController();
const CALLBACKS = 'https://m.example/callbacks/one';
const REFERENCE = '0000003R05HKQSR0M0000000000000A1';
const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

interface Started {
  readonly connector: Connector;
  readonly sent: readonly Recorded[];
}

async function start(
  folder: string,
  by: {
    readonly secret: object;
    readonly answer: unknown;
    readonly status?: number;
    readonly changes?: object;
  },
): Promise<Started> {
  const server = await startRecordingServer(
    (line) =>
      line.includes('token')
        ? { access_token: 'T', expires_in: 180, token_type: 'bearer' }
        : by.answer,
    (line) => (line.includes('token') ? 200 : (by.status ?? 200)),
  );
  const connector = connectTo(http, server.origin, {
    callbackUrl: CALLBACKS,
    payTimeoutMs: 2_000,
    settings: { ...settingsOf(folder), ...by.changes },
    secret: by.secret,
  });
  open.push(connector, server);
  return { connector, sent: server.requests };
}

const instruction = (
  billerCode: string,
  account: string,
  operatorHandle: string | null = null,
) => ({
  ...{ reference: REFERENCE, attemptNumber: 1, billerCode, account, phone: null },
  ...{ amountCents: 1_000_00n, operatorHandle },
});

function json(request: Recorded | undefined): unknown {
  return JSON.parse(request?.body ?? 'null');
}

function finderOf(about: ReturnType<typeof instruction>) {
  const sent = async (): Promise<SentPayment> => ({ ...about, isOpen: true });
  return { byReference: sent, byHandle: sent };
}

const read = async (
  connector: Connector,
  request: Partial<CallbackRequest>,
  about: ReturnType<typeof instruction>,
) =>
  await connector.callbacks?.read(
    { headers: {}, path: '', body: Buffer.from(''), ...request },
    finderOf(about),
  );

// global-121/121-platform: services/mock-service/src/fsp-integration/airtel; the codes: airtelmoney-py.
describe('Airtel Money', () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const { encrypted } = settingsOf('airtel') as { readonly encrypted: { readonly pin: object } };
  const changes = { encrypted: { pin: { ...encrypted.pin, public_key: pem } } };
  const secret = { client_id: 'client', client_secret: 'secret', pin: '1234' };
  const PAID = {
    data: {
      transaction: {
        reference_id: 'CI250506.1824.H00006',
        airtel_money_id: 'disbursement-Y79A4B1',
        id: 'h1',
        status: 'TS',
      },
    },
    status: {
      ...{ response_code: 'DP00900001001', code: '200', success: true, result_code: 'ESB000010' },
      message: 'You have sent 1000. TID: CI250506.1824.H00006',
    },
  };
  const pay = async (answer: unknown, status?: number) => {
    const started = await start('airtel', {
      secret,
      changes,
      answer,
      ...(status !== undefined && { status }),
    });
    const about = instruction('airtel_money', '254733123456', 'h1');
    return { ...started, outcome: await started.connector.pay(about, signal) };
  };
  const refusal = (response_code: string) => ({
    status: { code: '400', message: 'no', response_code, result_code: 'ESB000008', success: false },
  });

  test('gets the documented request, with the PIN encrypted, and its answer pays', async () => {
    const { sent, outcome } = await pay(PAID);
    expect(outcome).toMatchObject({ kind: 'paid', operatorReference: 'disbursement-Y79A4B1' });
    expect(sent.map(({ line }) => line)).toEqual([
      'POST /auth/oauth2/token',
      'POST /standard/v2/disbursements/',
    ]);
    expect(json(sent[0])).toEqual({
      ...{ client_id: 'client', client_secret: 'secret', grant_type: 'client_credentials' },
    });
    expect(sent[1]?.headers).toMatchObject({
      ...{ authorization: 'Bearer T', 'x-country': 'KE', 'x-currency': 'KES' },
    });
    const { pin, ...rest } = json(sent[1]) as { readonly pin: string };
    expect(rest).toEqual({
      payee: { currency: 'KES', msisdn: '733123456' },
      reference: REFERENCE,
      transaction: { amount: 1000, id: 'h1', type: 'B2C' },
    });
    const key = { key: privateKey, padding: constants.RSA_PKCS1_PADDING };
    expect(privateDecrypt(key, Buffer.from(pin, 'base64')).toString()).toBe('1234');
  });

  test.each([
    ['003', 'declined'],
    ['004', 'declined'],
    ['005', 'declined'],
    ['007', 'not_sent'],
    ['009', 'declined'],
    ['010', 'declined'],
    ['012', 'declined'],
    ['013', 'declined'],
    ['016', 'not_sent'],
    ...['000', '001', '006', '011', '014', '015', '017', '099'].map((code) => [code, 'unknown']),
  ])('the code DP00900001%s in the answer to the payment is %s', async (code, kind) => {
    expect((await pay(refusal(`DP00900001${code}`))).outcome).toMatchObject({ kind });
  });

  test.each([
    ['a refusal without response_code', { status: { result_code: 'ESB000008' } }],
    ['success without a transaction', { status: PAID.status }],
    [
      'another transaction',
      { ...PAID, data: { transaction: { ...PAID.data.transaction, id: 'h2' } } },
    ],
    ['a refusal of a paid transaction', { ...refusal('DP00900001005'), data: PAID.data }],
  ])('%s proves nothing', async (_, answer) => {
    expect((await pay(answer)).outcome).toMatchObject({ kind: 'unknown' });
  });

  test('an enquiry counts by status and code, about our id only; not found is never proof', async () => {
    const enquire = async (answer: unknown) => {
      const { connector } = await start('airtel', { secret, changes, answer });
      expect(connector.acceptanceWindowMs).toBeNull();
      return await connector.status?.(instruction('airtel_money', '254733123456', 'h1'), signal);
    };
    const as = (status: string, id = 'h1') => ({
      ...PAID,
      data: { transaction: { ...PAID.data.transaction, id, status } },
    });
    expect(await enquire(as('TS'))).toMatchObject({ kind: 'paid' });
    expect(await enquire(as('TF'))).toMatchObject({ kind: 'declined', code: 'TF' });
    for (const answer of [
      as('TA'),
      as('TIP'),
      as('TE'),
      as('TF', 'h2'),
      refusal('DP00900001015'),
    ]) {
      expect(await enquire(answer)).toMatchObject({ kind: 'unknown' });
    }
  });
});

// The OpenAPI file of v3: create-a-bill-payment, get-a-bill-payment-status; docs/webhooks.
describe('Flutterwave', () => {
  const secret = { secret_key: 'FLWSECK-TEST', secret_hash: 'hash' };
  const about = instruction('dstv', '0025401100');
  const CREATED = {
    status: 'success',
    message: 'Bill payment successful',
    data: {
      ...{ phone_number: '0025401100', amount: 1000, network: 'DSTV Payment', code: '200' },
      ...{ tx_ref: 'CF-FLYAPI-20240324091413750321', reference: '247837898415' },
      ...{ batch_reference: null, recharge_token: null, fee: 100 },
    },
  };
  const webhook = (data: object) => ({
    headers: { 'verif-hash': 'hash' },
    body: Buffer.from(
      JSON.stringify({
        ...{ event: 'singlebillpayment.status', 'event.type': 'SingleBillPayment' },
        data: {
          ...{
            customer: '0025401100',
            amount: 1000,
            network: 'DSTV',
            tx_ref: 'CF-1',
            flw_ref: 'B1',
          },
          ...{ batch_reference: null, customer_reference: `${REFERENCE}-1`, status: 'success' },
          ...{ message: 'Bill Payment was completed successfully', reference: null, ...data },
        },
      }),
    ),
  });

  test('gets the documented request, and its answer pays', async () => {
    const { connector, sent } = await start('flutterwave', { secret, answer: CREATED });
    expect(await connector.pay(about, signal)).toMatchObject({
      ...{ kind: 'paid', operatorReference: '247837898415', amountCents: 1_000_00n },
    });
    expect(sent[0]?.line).toBe('POST /billers/BIL119/items/CB141/payment');
    expect(sent[0]?.headers).toMatchObject({ authorization: 'Bearer FLWSECK-TEST' });
    expect(json(sent[0])).toEqual({
      ...{ country: 'KE', customer_id: '0025401100', amount: 1000 },
      ...{ reference: `${REFERENCE}-1`, callback_url: CALLBACKS },
    });
  });

  test.each([
    [401, 'Invalid authorization key', 'not_sent'],
    [400, 'Insufficient funds in your wallet', 'not_sent'],
    [400, 'Invalid customer', 'declined'],
    [400, 'Duplicate reference', 'unknown'],
    [400, 'Reference has already been used', 'unknown'],
    [503, 'An error occurred. Please contact support', 'unknown'],
    [500, 'An error occurred', 'unknown'],
  ])('HTTP %i with “%s” is %s', async (status, message, kind) => {
    const answer = { status: 'error', message, data: null };
    const { connector } = await start('flutterwave', { secret, answer, status });
    expect(await connector.pay(about, signal)).toMatchObject({ kind });
  });

  test('a prepaid meter is paid when its token is there', async () => {
    const { connector } = await start('flutterwave', { secret, answer: CREATED });
    expect(await connector.pay({ ...about, billerCode: 'prepaid_power' }, signal)).toMatchObject({
      ...{ kind: 'unknown', operatorHandle: CREATED.data.tx_ref },
    });
  });

  test('a bill that is found is paid only after a webhook said so', async () => {
    const found = {
      status: 'success',
      data: { amount: '1000.00', flw_ref: '247837898415', customer_reference: `${REFERENCE}-1` },
    };
    const { connector, sent } = await start('flutterwave', { secret, answer: found });
    const ask = async (operatorHandle: string) =>
      await connector.status?.({ ...about, operatorHandle }, signal);
    for (const handle of ['', 'CF-1', 'fail/CF-1']) {
      expect(await ask(handle)).toMatchObject({ kind: 'unknown' });
    }
    expect(await ask('success/CF-1')).toMatchObject({ kind: 'paid', amountCents: 1_000_00n });
    expect(sent.map(({ line }) => line)).toEqual([
      `GET /bills/${REFERENCE}-1?verbose=1`,
      ...Array.from({ length: 3 }, () => 'GET /bills/CF-1?verbose=1'),
    ]);
    const other = { ...found, data: { ...found.data, customer_reference: 'other-1' } };
    const second = await start('flutterwave', { secret, answer: other });
    expect(
      await second.connector.status?.({ ...about, operatorHandle: 'success/CF-1' }, signal),
    ).toMatchObject({ kind: 'unknown' });
  });

  test('a webhook gives the handle and settles nothing; a wrong hash, attempt or tx_ref gives none', async () => {
    const { connector } = await start('flutterwave', { secret, answer: CREATED });
    const handleOf = async (request: Partial<CallbackRequest>, known = about) => {
      const reading = await read(connector, request, known);
      return reading?.kind === 'reports'
        ? reading.reports.map(({ outcome }) => outcome)
        : reading?.kind;
    };
    const hint = (operatorHandle: string | null) => [{ kind: 'hint', operatorHandle, says: null }];
    expect(await handleOf(webhook({}))).toEqual(hint('success/CF-1'));
    expect(await handleOf(webhook({ status: 'fail' }))).toEqual(hint('fail/CF-1'));
    expect(await handleOf(webhook({ customer_reference: `${REFERENCE}-2` }))).toEqual(hint(null));
    const known = { ...about, operatorHandle: 'CF-2' };
    expect(await handleOf(webhook({}), known)).toEqual(hint(null));
    expect(await handleOf({ ...webhook({}), headers: { 'verif-hash': 'other' } })).toBe('refused');
  });
});

// developers.kopokopo.com/guides/send-money; kopokopo/k2-connect-node: test/response.
describe('Kopo Kopo', () => {
  const secret = { client_id: 'client', client_secret: 'secret', api_key: 'key' };
  const about = instruction('nairobi_water', '12345678');
  const ID = '2f4ea3bb-3a7e-4d0e-8a3e-5fd5ab9ef6f1';
  const part = (change: object = {}) => ({
    ...{ amount: '1000.0', status: 'Transferred', errors: null, destination_type: 'paybill' },
    ...{ transaction_reference: 'QCL160124A7', ...change },
  });
  const shown = (disbursements: object[] | null, change: object = {}) => ({
    data: {
      ...{ id: ID, type: 'send_money' },
      attributes: {
        ...{ status: 'Processed', currency: 'KES', errors: null },
        transfer_batches: disbursements && [
          { status: 'Transferred', amount: '1000.0', disbursements },
        ],
        metadata: { reference: REFERENCE, attempt: '1' },
        ...change,
      },
    },
  });

  test.each([
    [
      'nairobi_water',
      { type: 'paybill', paybill_number: '444400', paybill_account_number: '12345678' },
    ],
    ['shop', { type: 'till', till_number: '5001234' }],
    ['mpesa_wallet', { type: 'mobile_wallet', phone_number: '12345678', network: 'Safaricom' }],
  ])('gets the documented request for %s', async (billerCode, receiver) => {
    const { connector, sent } = await start('kopokopo', { secret, answer: {} });
    await connector.pay({ ...about, billerCode }, signal);
    expect(sent.map(({ line }) => line)).toEqual(['POST /oauth/token', 'POST /api/v2/send_money']);
    expect(json(sent[1])).toEqual({
      destinations: [{ ...receiver, amount: 1000, description: REFERENCE, favourite: false }],
      currency: 'KES',
      metadata: { reference: REFERENCE, attempt: '1' },
      _links: { callback_url: CALLBACKS },
    });
  });

  const states: readonly [string, object, string][] = [
    ['all transferred', shown([part()]), 'paid'],
    ['in two parts', shown([part({ amount: '400.0' }), part({ amount: '600.0' })]), 'paid'],
    ['processed, not transferred yet', shown(null), 'unknown'],
    ['one part still open', shown([part(), part({ status: 'Pending' })]), 'unknown'],
    ['one part failed', shown([part(), part({ status: 'Failed', errors: ['x'] })]), 'unknown'],
    ['failed without errors', shown([part({ status: 'Failed' })]), 'unknown'],
    ['failed with errors', shown([part({ status: 'Failed', errors: ['x'] })]), 'declined'],
    ['errors of the payment', shown(null, { errors: ['x'] }), 'declined'],
    [
      'another payment',
      shown([part()], { metadata: { reference: 'R2', attempt: '1' } }),
      'unknown',
    ],
    [
      'another attempt',
      shown([part()], { metadata: { reference: REFERENCE, attempt: '2' } }),
      'unknown',
    ],
  ];
  test.each(states)('a status query: %s', async (_, answer, kind) => {
    const { connector } = await start('kopokopo', { secret, answer });
    expect(await connector.status?.({ ...about, operatorHandle: ID }, signal)).toMatchObject({
      kind,
    });
  });

  test('a signed callback about an open payment gives the location that a lost answer had', async () => {
    const { connector } = await start('kopokopo', { secret, answer: {} });
    const signed = (content: object) => {
      const body = Buffer.from(JSON.stringify(content, null, 2));
      const signature = createHmac('sha256', 'key').update(body).digest('hex');
      return { body, headers: { 'x-kopokopo-signature': signature } };
    };
    const outcome = (handle: string | null) => ({
      reports: [{ outcome: { kind: 'hint', operatorHandle: handle, says: null } }],
    });
    expect(await read(connector, signed(shown(null)), about)).toMatchObject(outcome(ID));
    const other = shown(null, { metadata: { reference: REFERENCE, attempt: '2' } });
    expect(await read(connector, signed(other), about)).toMatchObject(outcome(null));
    expect(await read(connector, signed(shown([part()])), about)).toMatchObject({
      reports: [{ reference: REFERENCE, outcome: { kind: 'paid', amountCents: 1_000_00n } }],
    });
    const forged = { ...signed(shown([part()])), headers: { 'x-kopokopo-signature': '00' } };
    expect(await read(connector, forged, about)).toMatchObject({ kind: 'refused' });
  });
});

// wondenge/coop-go: pkg/pesalink_account, pkg/transaction_status and TestAccounts.md.
describe('PesaLink through Co-operative Bank', () => {
  const secret = { consumer_key: 'key', consumer_secret: 'secret' };
  const about = instruction('bank_account', '54321987654321', 'h1');
  const HEAD = { MessageReference: 'h1', MessageDateTime: '2017-12-04T09:27:00' };
  const leg = (ResponseCode: string, change: object = {}) => ({
    ...{ ReferenceNumber: 'h11', AccountNumber: '54321987654321', BankCode: '11', Amount: 1000 },
    ...{ TransactionCurrency: 'KES', Narration: 'x', TransactionID: '1169', ResponseCode },
    ...{ ResponseDescription: 'x', ...change },
  });
  const about1 = (MessageCode: string, ...Destinations: object[]) => ({
    ...HEAD,
    MessageCode,
    Destinations,
  });

  test('gets the documented request', async () => {
    const accepted = {
      ...HEAD,
      MessageCode: '0',
      MessageDescription: 'REQUEST ACCEPTED FOR PROCESSING',
    };
    const { connector, sent } = await start('coop-pesalink', { secret, answer: accepted });
    expect(await connector.pay(about, signal)).toMatchObject({ kind: 'unknown', answered: true });
    const basic = `Basic ${Buffer.from('key:secret').toString('base64')}`;
    expect(sent[0]).toMatchObject({ line: 'POST /token', headers: { authorization: basic } });
    expect(sent[1]?.line).toBe('POST /FundsTransfer/External/A2A/PesaLink/1.0.0');
    const common = { Amount: 1000, TransactionCurrency: 'KES', Narration: REFERENCE };
    expect(json(sent[1])).toEqual({
      MessageReference: 'h1',
      CallBackUrl: CALLBACKS,
      Source: { AccountNumber: '36001873000', ...common },
      Destinations: [
        { ReferenceNumber: 'h11', AccountNumber: '54321987654321', BankCode: '11', ...common },
      ],
    });
  });

  test.each([
    ...['-2', '-3', '-5', '-6', '-11'].map((code) => [400, code, 'declined'] as const),
    [403, '-9', 'declined'],
    [403, '-10', 'declined'],
    [403, '-16', 'not_sent'],
    [401, '-8', 'not_sent'],
    [400, '-12', 'unknown'],
    [408, '-4', 'unknown'],
    [409, '-1', 'unknown'],
    [500, '-2', 'unknown'],
    [401, '-2', 'unknown'],
  ] as const)(
    'HTTP %i with MessageCode %s in the answer to the payment is %s',
    async (status, MessageCode, kind) => {
      const { connector } = await start('coop-pesalink', {
        secret,
        answer: { ...HEAD, MessageCode },
        status,
      });
      expect(await connector.pay(about, signal)).toMatchObject({ kind });
    },
  );

  test.each<[string, object, string]>([
    ['full success', about1('0', leg('0')), 'paid'],
    ['accepted only', { ...HEAD, MessageCode: '0' }, 'unknown'],
    ['full failure of an account that does not exist', about1('2', leg('20020000')), 'declined'],
    ...['20201005', '40000127', '40421536', '40422049', '40407606'].map(
      (code): [string, object, string] => [
        `full failure with ${code}`,
        about1('2', leg(code)),
        'unknown',
      ],
    ),
    ['partial success', about1('1', leg('20020000')), 'unknown'],
    ['success with a leg that failed', about1('0', leg('20020000')), 'unknown'],
    ['the leg of another payment', about1('0', leg('0', { ReferenceNumber: 'h2' })), 'unknown'],
    ['another message', { ...about1('0', leg('0')), MessageReference: 'h2' }, 'unknown'],
  ])('a status query: %s', async (_, answer, kind) => {
    const { connector } = await start('coop-pesalink', { secret, answer });
    expect(await connector.status?.(about, signal)).toMatchObject({ kind });
  });

  test('a callback is not signed, and only causes a query', async () => {
    const { connector } = await start('coop-pesalink', { secret, answer: {} });
    const body = Buffer.from(JSON.stringify(about1('0', leg('0'))));
    expect(await read(connector, { body }, about)).toEqual({
      kind: 'reports',
      reports: [
        { reference: REFERENCE, outcome: { kind: 'hint', operatorHandle: null, says: null } },
      ],
    });
    expect(connector.acceptanceWindowMs).toBeNull();
  });
});
