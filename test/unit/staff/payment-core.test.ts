import { expect, test } from 'vitest';
import type { Payments } from '../../../src/payments/payments.ts';
import type { PaymentTimeline } from '../../../src/payments/timeline/assemble.ts';
import { paymentDetailOf } from '../../../src/staff/payment-core.ts';

const FOUND = {
  reference: 'R',
  status: 'SUCCESS',
  payment: {
    vendorId: 1,
    paymentId: '0197a5b1-7c00-7d2e-9c3f-5a1b2c3d4e5f',
    amountCents: 6_000n,
    feeCents: 0n,
    createdAt: new Date(0),
    settledAt: null,
    note: null,
    billerResponseTime: null,
    dueAt: null,
  },
  timeline: [
    {
      kind: 'attempt',
      at: new Date(0),
      attemptNumber: 1,
      outcome: null,
      endedAt: null,
      operatorCode: 'second',
      operatorVersion: 3,
      routeReason: 'first: our float with it is too low',
      operatorHandle: 'H1',
      note: 'Agent 7 has no balance',
    },
    { kind: 'case', at: new Date(0), caseKind: 'duplicate' },
  ],
} as unknown as PaymentTimeline;

const STAFF = { vendor: undefined };
const OWN = { vendor: { vendorId: 1, vid: 'demo' } };

test('staff see why an instruction went to its operator', () => {
  expect(paymentDetailOf(FOUND, {}, STAFF).timeline).toMatchObject([
    { route_reason: 'first: our float with it is too low', note: 'Agent 7 has no balance' },
    { kind: 'case' },
  ]);
});

test('a vendor sees that an instruction was sent, and nothing of our dealings with operators', () => {
  expect(paymentDetailOf(FOUND, {}, OWN).timeline).toEqual([
    {
      kind: 'attempt',
      at: '1970-01-01T00:00:00.000Z',
      attempt: 1,
      outcome: null,
      ended_at: null,
      operator: 'second',
      route_reason: null,
      operator_handle: null,
      note: null,
    },
  ]);
});

test.each([
  [10_000, null, '1970-01-01T00:00:20.000Z'],
  [null, null, null],
  [10_000, 'declined', null],
])(
  'with a window of %j ms of the account that was instructed and the outcome %j, a failure is provable at %j: a call may begin 3 s late and take 7 s',
  (acceptanceWindowMs, outcome, at) => {
    const [attempt] = FOUND.timeline;
    const timeline = [{ ...attempt, outcome }] as PaymentTimeline['timeline'];
    const witness = { acceptanceWindowMs, payDeadlineMs: 7_000, prepare: null };
    const witnessOf = (operatorCode: string, version: number | null) =>
      operatorCode === 'second' && version === 3 ? witness : undefined;
    const payments = { witnessOf, verifyNow: async () => undefined } as unknown as Payments;
    const detail = paymentDetailOf({ ...FOUND, timeline }, { payments }, STAFF);
    expect(detail.provable_at).toBe(at);
  },
);

test('vendors see the transfers of their money, not our terms with operators', () => {
  const accounts = [
    ['float', 'reserved'],
    ['cost:kplc', 'operator:kplc'],
    ['operator:kplc', 'commission:kplc'],
  ];
  const timeline = accounts.map(([debitAccount, creditAccount]) => ({
    kind: 'transfer',
    at: new Date(0),
    vendorId: 1,
    debitAccount,
    creditAccount,
    amountCents: 1n,
  })) as unknown as PaymentTimeline['timeline'];
  const shown = (viewer: typeof STAFF | typeof OWN) =>
    paymentDetailOf({ ...FOUND, timeline }, {}, viewer).timeline;
  expect(shown(STAFF)).toHaveLength(3);
  expect(shown(OWN)).toMatchObject([{ debit_account: 'float' }]);
});
