import { afterEach, expect, test } from 'vitest';
import type { SentPayment } from '../../../../../src/connectors/operator-callbacks.ts';
import type { Connector } from '../../../../../src/connectors/operator.ts';
import { darajaB2c } from '../../../../../src/connectors/operators/daraja-b2c/protocol.ts';
import { startRecordingServer } from '../../../../support/recording-server.ts';
import type { Recorded } from '../../../../support/recording-server.ts';

// Bodies of developer.safaricom.co.ke: Business To Customer and Transaction Status; mirrored in
// JacksCodeVault/mpesa-daraja-mcp: daraja_docs_v3/docs/BusinessToCustomer.md.

const REFERENCE = '06F3Z1G5B8M2Q7T4W9Y0K3N6R1V5X8C2';
const OWN_ID = `${REFERENCE}-1`;
const PHONE = '254705912645';
const CREDENTIAL = 'A'.repeat(344);
const INSTRUCTION = {
  ...{ reference: REFERENCE, attemptNumber: 1, billerCode: 'mpesa_payout' },
  ...{ account: PHONE, phone: null, amountCents: 1_000n, operatorHandle: null },
};
const { signal } = new AbortController();

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

async function connect(
  answer: object,
  { httpStatus = 200, settings = {} } = {},
): Promise<{ readonly connector: Connector; readonly requests: readonly Recorded[] }> {
  const server = await startRecordingServer(
    (line) => (line.includes('/oauth/') ? { access_token: 'T', expires_in: '3599' } : answer),
    (line) => (line.includes('/oauth/') ? 200 : httpStatus),
  );
  const secret = JSON.stringify({
    ...{ consumer_key: 'key', consumer_secret: 'secret', security_credential: CREDENTIAL },
  });
  const connector = darajaB2c.create(
    {
      ...{ operatorCode: 'op', connector: 'daraja-b2c', baseUrl: server.origin },
      settings: { short_code: '600992', initiator: 'testapi', ...settings },
      ...{ maxConcurrency: 1, secrets: [{ secret, validUntil: null }], secret },
    },
    'https://m.example/callbacks/op',
  );
  cleanups.push(async () => await connector.close());
  cleanups.push(async () => await server.close());
  return { connector, requests: server.requests };
}

const ACCEPTED = {
  ConversationID: 'AG_20240706_20106e9209f64bebd05b',
  OriginatorConversationID: OWN_ID,
  ResponseCode: '0',
  ResponseDescription: 'Accept the service request successfully.',
};
const bodyOf = (request: Recorded | undefined): Record<string, unknown> =>
  JSON.parse(request?.body ?? '{}') as Record<string, unknown>;

test('A payment is sent with the documented names, and with an id of our own', async () => {
  const { connector, requests } = await connect(ACCEPTED);
  expect(await connector.pay(INSTRUCTION, signal)).toMatchObject({
    kind: 'unknown',
    operatorHandle: `AG_20240706_20106e9209f64bebd05b:${OWN_ID}`,
  });
  const sent = requests.at(-1);
  expect(sent?.line).toBe('POST /mpesa/b2c/v3/paymentrequest');
  const { QueueTimeOutURL, ResultURL, ...body } = bodyOf(sent);
  expect(body).toEqual({
    OriginatorConversationID: OWN_ID,
    InitiatorName: 'testapi',
    SecurityCredential: CREDENTIAL,
    CommandID: 'BusinessPayment',
    Amount: '10',
    PartyA: '600992',
    PartyB: PHONE,
    Remarks: REFERENCE,
    Occassion: REFERENCE,
  });
  for (const url of [QueueTimeOutURL, ResultURL]) {
    expect(url).toMatch(/^https:\/\/m\.example\/callbacks\/op\//);
  }
  expect(OWN_ID.length).toBeLessThanOrEqual(36);
});

test('Each attempt has an id of its own, of at most 36 characters', async () => {
  const { connector, requests } = await connect(ACCEPTED);
  await connector.pay({ ...INSTRUCTION, attemptNumber: 2 }, signal);
  await connector.pay({ ...INSTRUCTION, attemptNumber: 32_767 }, signal);
  const [second, last] = requests.slice(-2).map((one) => bodyOf(one)['OriginatorConversationID']);
  expect(second).toBe(`${REFERENCE}-2`);
  expect(last).toHaveLength(36);
});

test.each([
  ['HTTP 500', 500],
  ['HTTP 400', 400],
])('A duplicate with %s means that the earlier request was taken', async (_, httpStatus) => {
  const answer = {
    requestId: '1',
    errorCode: '500.002.1001',
    errorMessage: 'Duplicate OriginatorConversationID.',
  };
  const { connector } = await connect(answer, { httpStatus });
  expect(await connector.pay(INSTRUCTION, signal)).toMatchObject({
    ...{ kind: 'unknown', answered: true },
  });
});

test('A duplicate in the answer of an accepted request is no decline', async () => {
  const answer = { ...ACCEPTED, ResponseCode: '1', ResponseDescription: 'Duplicate request' };
  const { connector } = await connect(answer);
  expect(await connector.pay(INSTRUCTION, signal)).toMatchObject({ kind: 'unknown' });
});

test('After a lost answer the payment is asked for by our own id', async () => {
  const { connector, requests } = await connect(ACCEPTED);
  await connector.status?.({ ...INSTRUCTION, operatorHandle: null }, signal);
  const asked = requests.filter(({ line }) => line.includes('transactionstatus'));
  expect(asked.map((one) => bodyOf(one)['OriginalConversationID'])).toEqual([OWN_ID]);
  expect(bodyOf(asked[0])).toMatchObject({ Initiator: 'testapi', PartyA: '600992' });
});

test.each([
  ['less than 10 shillings', PHONE, 999n, 'amount_not_allowed'],
  ['cents', PHONE, 1_050n, 'amount_not_allowed'],
  ['more than 250,000', PHONE, 25_000_100n, 'amount_not_allowed'],
  ['a number of another country', '255712345678', 1_000n, 'invalid_account'],
])('Nothing is sent for %s', async (_, account, amountCents, failureCode) => {
  const { connector, requests } = await connect(ACCEPTED);
  const outcome = await connector.pay({ ...INSTRUCTION, account, amountCents }, signal);
  expect(outcome).toMatchObject({ kind: 'declined', failureCode });
  expect(requests).toEqual([]);
});

test('The command that says what payments are is a setting, and one of the documented ones', async () => {
  const { connector, requests } = await connect(ACCEPTED, {
    settings: { command_id: 'SalaryPayment' },
  });
  await connector.pay(INSTRUCTION, signal);
  expect(bodyOf(requests.at(-1))['CommandID']).toBe('SalaryPayment');
  await expect(connect(ACCEPTED, { settings: { command_id: 'Gift' } })).rejects.toThrow(
    'command_id',
  );
});

/** What a callback means for a payment, on the URL that the instruction or a query had. */
async function readCallback(result: object, operatorHandle: string | null, of: 'pay' | 'status') {
  const { connector, requests } = await connect(ACCEPTED);
  await (of === 'pay'
    ? connector.pay(INSTRUCTION, signal)
    : connector.status?.({ ...INSTRUCTION, operatorHandle }, signal));
  const url = String(bodyOf(requests.at(-1))['ResultURL']);
  const path = url.replace('https://m.example/callbacks/op/', '');
  const sent: SentPayment = { ...INSTRUCTION, operatorHandle, isOpen: true };
  const body = Buffer.from(JSON.stringify({ Result: result }));
  const reading = await connector.callbacks?.read(
    { headers: {}, path, body },
    { byReference: async () => sent, byHandle: async () => undefined },
  );
  if (reading?.kind !== 'reports') throw new Error('the callback was refused');
  return reading.reports.map(({ outcome }) => outcome);
}

const SUCCESS = {
  ResultType: 0,
  ResultCode: 0,
  ResultDesc: 'The service request is processed successfully.',
  OriginatorConversationID: OWN_ID,
  ConversationID: 'AG_1',
  TransactionID: 'SG632NMUAB',
  ResultParameters: {
    ResultParameter: [
      { Key: 'TransactionAmount', Value: 10 },
      { Key: 'TransactionReceipt', Value: 'SG632NMUAB' },
      { Key: 'ReceiverPartyPublicName', Value: '254705912645 - JANE' },
      { Key: 'TransactionCompletedDateTime', Value: '06.07.2024 22:48:52' },
    ],
  },
  ReferenceData: { ReferenceItem: { Key: 'QueueTimeoutURL', Value: 'https://m.example' } },
};

test('The documented Result is a hint, which names the receipt to ask for', async () => {
  expect(await readCallback(SUCCESS, null, 'pay')).toMatchObject([
    {
      kind: 'hint',
      operatorHandle: `AG_1:${OWN_ID}:SG632NMUAB`,
      says: { kind: 'paid', amountCents: 1_000n, operatorReference: 'SG632NMUAB' },
    },
  ]);
});

test('A Result with another OriginatorConversationID does not belong to the payment', async () => {
  const other = { ...SUCCESS, OriginatorConversationID: `${REFERENCE}-2` };
  expect(await readCallback(other, null, 'pay')).toMatchObject([{ kind: 'mismatch' }]);
});

test.each([
  ['2040', 'invalid_account'],
  ['SFC_IC0003', 'invalid_account'],
  ['4', 'amount_not_allowed'],
  ['2001', 'operator_refused'],
])('A Result with code %s says why the customer got nothing', async (code, failureCode) => {
  const { ResultParameters: _, ...declined } = { ...SUCCESS, ResultCode: code };
  expect(await readCallback(declined, null, 'pay')).toMatchObject([
    { kind: 'hint', says: { kind: 'declined', failureCode } },
  ]);
});

test.each(['17', '26', '1000000xx', '15'])('A Result with code %s proves nothing', async (code) => {
  const failed = { ...SUCCESS, ResultCode: code };
  expect(await readCallback(failed, null, 'pay')).toMatchObject([{ kind: 'hint', says: null }]);
});

const statusOf = (values: Readonly<Record<string, string>>) => ({
  ...SUCCESS,
  OriginatorConversationID: '1236-7134259-1',
  ConversationID: 'AG_query',
  ResultParameters: {
    ResultParameter: Object.entries({
      ...{ Amount: '10', ReceiptNo: 'SG632NMUAB', TransactionStatus: 'Completed' },
      ...values,
    }).map(([Key, Value]) => ({ Key, Value })),
  },
});

test.each([
  ['names our id', { OriginatorConversationID: OWN_ID }, [{ kind: 'paid', amountCents: 1_000n }]],
  [
    'names our id and that of Daraja',
    { OriginatorConversationID: OWN_ID, ConversationID: 'AG_9' },
    [{ kind: 'paid' }],
  ],
  [
    'says that it failed',
    { OriginatorConversationID: OWN_ID, TransactionStatus: 'Failed' },
    [{ kind: 'declined' }],
  ],
  [
    'names the id of another payment',
    { OriginatorConversationID: `${REFERENCE}-2`, ConversationID: 'AG_9' },
    [],
  ],
  ['names only an id that we never got', { ConversationID: 'AG_9' }, []],
  ['names nothing', {}, []],
])('After a lost answer, an answer to a query that %s', async (_, values, outcomes) => {
  expect(await readCallback(statusOf(values), null, 'status')).toMatchObject(outcomes);
});

test('An answer about another payment than the one that was accepted is a case', async () => {
  const other = statusOf({ OriginatorConversationID: `${REFERENCE}-2`, ConversationID: 'AG_1' });
  expect(await readCallback(other, `AG_1:${OWN_ID}`, 'status')).toMatchObject([
    { kind: 'mismatch' },
  ]);
});
