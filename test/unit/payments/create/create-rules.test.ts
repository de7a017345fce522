import { describe, expect, test } from 'vitest';
import { Refusal } from '../../../../src/platform/base/errors.ts';
import { encodeReference } from '../../../../src/parties/reference.ts';
import type { Biller } from '../../../../src/payments/billers/biller.ts';
import { answerDecision, planPayment } from '../../../../src/payments/create/create-rules.ts';
import type { CreateRequest } from '../../../../src/payments/create/payment.ts';
import { statusOf } from '../../../../src/payments/create/payment.ts';
import type { CreateDecision } from '../../../../src/payments/create/payment.ts';
import type { Vendor } from '../../../../src/parties/vendor.ts';
import { ANY_ACCOUNT } from '../../../../src/payments/billers/account-format.ts';
import { flatPrices } from '../../../support/fee-prices.ts';
import { newPayment } from '../../../support/new-transaction.ts';

// The rules of create that need no database.

const BILLER: Biller = {
  billerCode: 'kplc_prepaid',
  name: 'Kenya Power',
  category: 'electricity',
  operatorCode: 'kplc',
  minimumCents: 5_000n,
  maximumCents: null,
  products: [],
  soldAmounts: null,
  feePrices: flatPrices(30n),
  secondaryAccount: false,
  validatesAccounts: false,
  ...ANY_ACCOUNT,
  availability: 'ONLINE',
  routes: [],
};
const VENDOR: Vendor = {
  vendorId: 7,
  vid: 'acme',
  name: 'Acme',
  sector: 'retail',
  suspended: false,
  keys: [],
  duplicateCheck: 'without_reference',
  duplicateWindowSeconds: 30,
  referenceRequired: false,
  enquiryPolicy: 'strict',
  statusText: 'object',
  signature: 'v1',
};
const REQUEST: CreateRequest = {
  billerCode: 'kplc_prepaid',
  account: '0123',
  phone: null,
  amountCents: 10_000n,
  merchantReference: null,
};

function refusalOf(work: () => unknown): Refusal {
  try {
    work();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

describe('planning a payment', () => {
  test('takes content from the request, fee and id from us', () => {
    const planned = planPayment({ ...REQUEST, merchantReference: 'R1' }, VENDOR, BILLER);
    expect(planned).toEqual({
      vendorId: 7,
      paymentId: planned.paymentId,
      billerCode: 'kplc_prepaid',
      account: '0123',
      phone: null,
      amountCents: 10_000n,
      feeCents: 30n,
      vatCents: 0n,
      feePrice: 1,
      merchantReference: 'R1',
      duplicateSeconds: 0,
    });
    expect(planPayment(REQUEST, VENDOR, BILLER).paymentId).not.toBe(planned.paymentId);
  });

  test.each([
    ['off', null, false],
    ['off', 'R1', false],
    ['without_reference', null, true],
    ['without_reference', 'R1', false],
    ['always', null, true],
    ['always', 'R1', true],
  ] as const)('with the duplicate check %s and the reference %s the plan is: %s', (...given) => {
    const [duplicateCheck, merchantReference, expected] = given;
    const vendor = { ...VENDOR, duplicateCheck };
    const { duplicateSeconds } = planPayment({ ...REQUEST, merchantReference }, vendor, BILLER);
    expect(duplicateSeconds).toBe(expected ? 30 : 0);
  });

  test('accepts the values that the biller and the vendor require', () => {
    const request = { ...REQUEST, phone: '254722000000', merchantReference: 'R1' };
    const vendor = { ...VENDOR, referenceRequired: true };
    const planned = planPayment(request, vendor, { ...BILLER, secondaryAccount: true });
    expect(planned).toMatchObject({ phone: '254722000000', merchantReference: 'R1' });
  });

  interface Refused {
    readonly why: string;
    readonly code: string;
    readonly field: string;
    /** The text of the refusal; default: any. */
    readonly text?: string;
    readonly request?: Partial<CreateRequest>;
    readonly vendor?: Partial<Vendor>;
    readonly biller?: Partial<Biller>;
  }
  test.each<Refused>([
    {
      why: 'below the minimum',
      code: 'amount_below_minimum',
      field: 'amount',
      text: 'kplc_prepaid is 50.00',
      request: { amountCents: 4_999n },
    },
    {
      why: 'above the maximum',
      code: 'amount_above_maximum',
      field: 'amount',
      text: 'kplc_prepaid is 100.00',
      request: { amountCents: 10_001n },
      biller: { maximumCents: 10_000n },
    },
    {
      why: 'without the phone the biller needs',
      code: 'missing_field',
      field: 'phone',
      text: 'kplc_prepaid needs a phone number',
      biller: { secondaryAccount: true },
    },
    {
      why: 'without the reference the vendor must send',
      code: 'missing_field',
      field: 'merchant_reference',
      vendor: { referenceRequired: true },
    },
    {
      why: 'to a biller that is offline',
      code: 'biller_offline',
      field: 'biller_name',
      biller: { availability: 'OFFLINE' },
    },
  ])('refuses one $why', ({ code, field, text = '', request, vendor, biller }) => {
    const refusal = refusalOf(() =>
      planPayment({ ...REQUEST, ...request }, { ...VENDOR, ...vendor }, { ...BILLER, ...biller }),
    );
    expect(refusal).toMatchObject({ code, field });
    expect(refusal.message).toContain(text);
  });

  test('refuses no valid one', () => {
    expect(refusalOf(() => planPayment(REQUEST, VENDOR, undefined))).toMatchObject({
      code: 'unknown_biller',
      field: 'biller_name',
    });
  });

  test('takes the amounts at both ends', () => {
    const biller = { ...BILLER, maximumCents: 10_000n };
    for (const amountCents of [5_000n, 10_000n]) {
      expect(planPayment({ ...REQUEST, amountCents }, VENDOR, biller).amountCents).toBe(
        amountCents,
      );
    }
  });
});

describe('answering a decision', () => {
  const planned = newPayment({ vendorId: 7 });
  const earlier = '01a1fc5e-faf1-744c-8256-a929c9efcf61';
  const createdAt = new Date('2026-01-05T09:00:00Z');

  test.each([
    ['accepted', false],
    ['replayed', true],
  ] as const)('answers the decision %s', (kind, replayed) => {
    const decision = { kind, paymentId: earlier, createdAt, feeCents: 30n };
    expect(answerDecision(planned, decision)).toEqual({
      reference: encodeReference(7, earlier),
      createdAt,
      feeCents: 30n,
      replayed,
    });
  });

  test('a payment that came before itself, in a batch whose commit was lost, is new', () => {
    const { paymentId } = planned;
    const decision = { kind: 'replayed', paymentId, createdAt, feeCents: 30n } as const;
    expect(answerDecision(planned, decision).replayed).toBe(false);
  });

  test.each<[CreateDecision, string, string | undefined]>([
    [{ kind: 'reference_reused', paymentId: earlier }, 'reference_reused', 'merchant_reference'],
    [{ kind: 'insufficient_float' }, 'insufficient_float', 'amount'],
    [{ kind: 'likely_duplicate', paymentId: earlier }, 'likely_duplicate', undefined],
  ])('$kind is refused', (decision, code, field) => {
    const refusal = refusalOf(() => answerDecision(planned, decision));
    expect(refusal).toMatchObject({ code, field });
    expect(refusal.reference).toBe(
      'paymentId' in decision ? encodeReference(7, earlier) : undefined,
    );
  });
});

test.each([
  [0n, 'The billing balance does not cover the amount'],
  [30n, 'The billing balance does not cover the amount and its fee'],
])('a float that does not cover a payment with a fee of %d cents', (feeCents, text) => {
  const payment = newPayment({ vendorId: 7, feeCents });
  const refusal = refusalOf(() => answerDecision(payment, { kind: 'insufficient_float' }));
  expect(refusal.message).toBe(text);
});

describe('the status', () => {
  test.each([
    [null, false, 'QUEUED'],
    [null, true, 'PENDING'],
    ['success', false, 'SUCCESS'],
    ['success', true, 'SUCCESS'],
    ['failed', false, 'FAILED'],
    ['failed', true, 'FAILED'],
  ] as const)(
    'with outcome %s, and an instruction under way %s, the status is %s',
    (outcome, underWay, status) => {
      expect(statusOf(outcome, underWay)).toBe(status);
    },
  );
});
