import { expect, test } from 'vitest';
import { paymentDetail } from '../../../../src/console/routes/payment-detail.ts';
import type { PaymentTimeline } from '../../../../src/payments/timeline/assemble.ts';

const FOUND = {
  reference: 'R',
  status: 'SUCCESS',
  payment: { amountCents: 6_000n, feeCents: 0n, createdAt: new Date(0), note: null },
  timeline: [
    {
      kind: 'attempt',
      at: new Date(0),
      attemptNumber: 1,
      operatorCode: 'second',
      routeReason: 'first: our float with it is too low',
      operatorHandle: 'H1',
      note: 'Agent 7 has no balance',
    },
    { kind: 'case', at: new Date(0), caseKind: 'duplicate' },
  ],
} as unknown as PaymentTimeline;

test('the staff see why an instruction went to its operator', () => {
  expect(paymentDetail(FOUND, { forStaff: true }).timeline).toMatchObject([
    { routeReason: 'first: our float with it is too low', note: 'Agent 7 has no balance' },
    { kind: 'case' },
  ]);
});

test('a vendor sees that an instruction was sent, and nothing of our dealings with operators', () => {
  expect(paymentDetail(FOUND, { forStaff: false }).timeline).toEqual([
    {
      kind: 'attempt',
      at: '1970-01-01T00:00:00.000Z',
      attemptNumber: 1,
      operatorCode: 'second',
      routeReason: null,
      operatorHandle: null,
      note: null,
    },
  ]);
});
