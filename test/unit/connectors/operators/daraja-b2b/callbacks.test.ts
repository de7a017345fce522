import { declineOf } from '../../../../../src/connectors/operators/daraja-b2b/codes.ts';
import { expect, test } from 'vitest';
import type {
  CallbackReading,
  PaymentFinder,
  SentPayment,
} from '../../../../../src/connectors/operator-callbacks.ts';
import { createCallbacks } from '../../../../../src/connectors/operators/daraja-b2b/callbacks.ts';
import { createSecretPaths } from '../../../../../src/connectors/secret-path.ts';

const PATHS = createSecretPaths('op', [{ secret: 's', validUntil: null }]);
const CALLBACKS = createCallbacks(PATHS, 'Working Account', { ownId: () => null, declineOf });
const SENT: SentPayment = {
  reference: 'R',
  attemptNumber: 1,
  billerCode: 'b',
  account: '1',
  amountCents: 190_00n,
  operatorHandle: 'AG_1',
  isOpen: true,
};

async function read(
  kind: string,
  result: object,
  sent: Partial<SentPayment> = {},
): Promise<CallbackReading> {
  const path = PATHS.make({ kind, reference: 'R', attemptNumber: 1 });
  const find: PaymentFinder = {
    byReference: async () => ({ ...SENT, ...sent }),
    byHandle: async () => undefined,
  };
  const body = Buffer.from(JSON.stringify({ Result: result }));
  return await CALLBACKS.read({ headers: {}, path, body }, find);
}

const RESULT = {
  ResultType: '0',
  ResultCode: '0',
  ConversationID: 'AG_1',
  TransactionID: 'UA1000001',
  ResultParameters: { ResultParameter: [{ Key: 'Amount', Value: '190.00' }] },
};
const status = (values: Readonly<Record<string, string>>) => ({
  ...RESULT,
  ConversationID: 'AG_query',
  ResultParameters: {
    ResultParameter: Object.entries({
      TransactionStatus: 'Completed',
      Amount: '190',
      ConversationID: 'AG_1',
      ReceiptNo: 'UA1000001',
      ...values,
    }).map(([Key, Value]) => ({ Key, Value })),
  },
});
const PAID = { kind: 'paid', amountCents: 190_00n, operatorReference: 'UA1000001' };

function reporting(outcome: object) {
  return { kind: 'reports', reports: [{ reference: 'R', outcome }] };
}

test.each<[string, object, Partial<SentPayment>, object]>([
  ['is a hint', RESULT, {}, { kind: 'hint', operatorHandle: 'AG_1::UA1000001', says: PAID }],
  [
    'brings the other id',
    { ...RESULT, OriginatorConversationID: '5118-1' },
    {},
    { kind: 'hint', operatorHandle: 'AG_1:5118-1:UA1000001' },
  ],
  [
    'does not replace the other id',
    { ...RESULT, OriginatorConversationID: '5118-2' },
    { operatorHandle: 'AG_1:5118-1' },
    { kind: 'hint', operatorHandle: 'AG_1:5118-1:UA1000001' },
  ],
  [
    'without a receipt number keeps an earlier one',
    { ...RESULT, TransactionID: '' },
    { operatorHandle: 'AG_1::UA1000001' },
    { kind: 'hint', operatorHandle: 'AG_1::UA1000001', says: null },
  ],
  [
    'brings the id of a lost answer',
    RESULT,
    { operatorHandle: null },
    { kind: 'hint', operatorHandle: 'AG_1::UA1000001' },
  ],
  [
    'that declines is kept with the id',
    { ...RESULT, ResultCode: 2006 },
    {},
    {
      kind: 'hint',
      operatorHandle: 'AG_1:::2006',
      says: { kind: 'declined', failureCode: 'invalid_account' },
    },
  ],
  [
    'with a code that proves nothing',
    { ...RESULT, ResultCode: '15' },
    {},
    { kind: 'hint', operatorHandle: 'AG_1', says: null },
  ],
  ['with more to come', { ...RESULT, ResultType: 1 }, {}, { kind: 'hint', says: null }],
  [
    'of another conversation',
    { ...RESULT, ConversationID: 'AG_2' },
    {},
    { kind: 'mismatch', says: PAID },
  ],
  ['of another attempt', RESULT, { attemptNumber: 2 }, { kind: 'mismatch', says: PAID }],
])('reads a Result %s', async (_what, result, sent, outcome) => {
  expect(await read('r', result, sent)).toMatchObject(reporting(outcome));
});

test.each<[string, object, Partial<SentPayment>, object]>([
  ['Completed', status({}), {}, PAID],
  [
    'Cancelled',
    status({ TransactionStatus: 'Cancelled' }),
    {},
    { kind: 'declined', code: 'Cancelled' },
  ],
  [
    'Failed, after a Result that declined',
    status({ TransactionStatus: 'Failed' }),
    { operatorHandle: 'AG_1:::2006' },
    { kind: 'declined', code: '2006', failureCode: 'invalid_account' },
  ],
  [
    'Failed, without a Result',
    status({ TransactionStatus: 'Failed' }),
    {},
    { kind: 'declined', code: 'Failed' },
  ],
  [
    'Completed, of the other id alone',
    status({ ConversationID: '', OriginatorConversationID: '5118-1' }),
    { operatorHandle: 'AG_1:5118-1' },
    PAID,
  ],
  ['Reversed', status({ TransactionStatus: 'Reversed' }), {}, { kind: 'reversed' }],
  [
    'Declined, after a Result that our float is too low: it is not the payment that failed',
    status({ TransactionStatus: 'Declined' }),
    { operatorHandle: 'AG_1:::1' },
    { kind: 'hint', operatorHandle: 'AG_1:::1:over', says: null },
  ],
  [
    'Completed, after a Result that our float is too low',
    status({}),
    { operatorHandle: 'AG_1:::1' },
    PAID,
  ],
  [
    'Completed, of another conversation',
    status({ ConversationID: 'AG_2' }),
    {},
    { kind: 'mismatch', says: PAID },
  ],
])('a status answer: %s', async (_what, result, sent, outcome) => {
  expect(await read('s', result, sent)).toMatchObject(reporting(outcome));
});

test.each<[string, object, Partial<SentPayment>]>([
  ['a query that failed', { ...status({}), ResultCode: 25 }, {}],
  ['Rejected, without a Result', status({ TransactionStatus: 'Rejected' }), {}],
  ['Completed, without an id', status({ ConversationID: '' }), {}],
  ['Completed, of the query itself', status({ ConversationID: 'AG_query' }), {}],
  [
    'Completed, of another id alone',
    status({ ConversationID: '', OriginatorConversationID: '5118-2' }),
    { operatorHandle: 'AG_1:5118-1' },
  ],
  ['Initiated', status({ TransactionStatus: 'Initiated' }), {}],
  [
    'Initiated, after a Result that our float is too low',
    status({ TransactionStatus: 'Initiated' }),
    { operatorHandle: 'AG_1:::1' },
  ],
  ['a state that nobody documented', status({ TransactionStatus: 'Done' }), {}],
  ['Completed without an amount', status({ Amount: '' }), {}],
  ['nothing was ever accepted', status({}), { operatorHandle: null }],
])('a status answer that settles nothing: %s', async (_what, result, sent) => {
  expect(await read('s', result, sent)).toEqual({ kind: 'reports', reports: [] });
});

test('a queue time-out is not a result: it makes us ask', async () => {
  expect(await read('t', {})).toMatchObject(
    reporting({ kind: 'hint', operatorHandle: null, says: null }),
  );
});

test('the float, from the account that pays', async () => {
  const value = 'Working Account|KES|700000.00|600000.00|0.00|0.00&Utility Account|KES|1|1|0|0';
  const parameters = { ResultParameter: { Key: 'AccountBalance', Value: value } };
  expect(await read('b', { ...RESULT, ResultParameters: parameters })).toEqual({
    kind: 'balance',
    balanceCents: 600_000_00n,
  });
});

test.each(['r', 's'])('a Result (%s) that has a name twice is kept for people', async (kind) => {
  const path = PATHS.make({ kind, reference: 'R', attemptNumber: 1 });
  const body = Buffer.from(
    JSON.stringify({ Result: RESULT }).replace('{"Key"', '{"Value":"1","Key"'),
  );
  const find = { byReference: async () => SENT, byHandle: async () => undefined };
  expect(await CALLBACKS.read({ headers: {}, path, body }, find)).toMatchObject(
    reporting({ kind: 'mismatch', says: null }),
  );
});
