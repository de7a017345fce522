import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { createCallbacks } from '../../../../../src/connectors/operators/reloadly/callbacks.ts';
import type { PaymentFinder } from '../../../../../src/connectors/operator-callbacks.ts';

const callbacks = createCallbacks({
  secrets: [
    { secret: 'newest', validUntilMs: Number.POSITIVE_INFINITY },
    { secret: 'former', validUntilMs: Date.now() + 3_600_000 },
    { secret: 'expired', validUntilMs: Date.now() - 1 },
  ],
  toleranceMs: 300_000,
  bodyBytes: 10_000,
  amountsIn: 'recipient',
});
const finder: PaymentFinder = {
  byReference: async () => ({
    reference: 'REF1',
    attemptNumber: 1,
    billerCode: 'airtime',
    account: '0700000001',
    amountCents: 100_00n,
    operatorHandle: null,
    isOpen: true,
  }),
  byHandle: async () => undefined,
};
const DATA = {
  transactionId: 900_001,
  customIdentifier: 'REF1',
  status: 'SUCCESSFUL',
  recipientPhone: '254700000001',
  deliveredAmount: 100,
  deliveredAmountCurrencyCode: 'KES',
};

function request(
  data: object,
  by: {
    readonly secret?: string;
    readonly atMs?: number;
    readonly signedBody?: string;
    readonly first?: string;
  } = {},
) {
  const { first = '' } = by;
  const body = JSON.stringify({ type: 'airtime_transaction.status', data }).replace(
    '{',
    `{${first}`,
  );
  const timestamp = String(Math.floor((by.atMs ?? Date.now()) / 1000));
  const signature = createHmac('sha256', by.secret ?? 'newest')
    .update(`${by.signedBody ?? body}:${timestamp}`)
    .digest('hex');
  return {
    headers: {
      'x-reloadly-signature': signature,
      'x-reloadly-request-timestamp': timestamp,
    } as Record<string, string>,
    path: '',
    body: Buffer.from(body),
  };
}
const outcome = (kind: object) => ({
  kind: 'reports',
  reports: [{ reference: 'REF1', outcome: kind }],
});

test.each<[string, ReturnType<typeof request>, object]>([
  ['paid', request(DATA), outcome({ kind: 'paid', amountCents: 100_00n })],
  ['under the former secret', request(DATA, { secret: 'former' }), outcome({ kind: 'paid' })],
  ['under an expired secret', request(DATA, { secret: 'expired' }), { kind: 'refused' }],
  ['under another secret', request(DATA, { secret: 'guess' }), { kind: 'refused' }],
  ['an old one', request(DATA, { atMs: Date.now() - 301_000 }), { kind: 'refused' }],
  ['one of the future', request(DATA, { atMs: Date.now() + 600_000 }), { kind: 'refused' }],
  ['a body of another signature', request(DATA, { signedBody: '{}' }), { kind: 'refused' }],
  [
    'with a name twice: for people',
    request(DATA, { first: '"data":{},' }),
    outcome({ kind: 'mismatch', says: null }),
  ],
  ['refunded', request({ ...DATA, status: 'REFUNDED' }), outcome({ kind: 'reversed' })],
  [
    'failed: not final yet, so ask',
    request({ ...DATA, status: 'FAILED' }),
    outcome({ kind: 'hint' }),
  ],
  [
    'without an amount: ask',
    request({ ...DATA, deliveredAmount: undefined }),
    outcome({ kind: 'hint' }),
  ],
  [
    'of another recipient',
    request({ ...DATA, recipientPhone: '254700000002' }),
    outcome({ kind: 'mismatch' }),
  ],
])('reads a callback: %s', async (_what, given, reading) => {
  expect(await callbacks.read(given, finder)).toMatchObject(reading);
});

test('the boundary between body and timestamp cannot be moved', async () => {
  const given = request(DATA);
  const timestamp = given.headers['x-reloadly-request-timestamp'] ?? '';
  const moved = {
    ...given,
    body: Buffer.from(`${given.body.toString()}:${timestamp.slice(0, 2)}`),
    headers: { ...given.headers, 'x-reloadly-request-timestamp': timestamp.slice(2) },
  };
  expect(await callbacks.read(moved, finder)).toMatchObject({ kind: 'refused' });
});

test('refuses a callback without headers, with rubbish, or too large', async () => {
  const given = request(DATA);
  for (const headers of [{}, { ...given.headers, 'x-reloadly-signature': 'zz' }]) {
    expect(await callbacks.read({ ...given, headers }, finder)).toMatchObject({ kind: 'refused' });
  }
  const body = Buffer.alloc(10_001);
  expect(await callbacks.read({ ...given, body }, finder)).toMatchObject({ kind: 'refused' });
});
