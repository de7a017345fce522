import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { StatementHead, StatementLine } from '../payments/reports/statement.ts';
import { referencesOf } from '../payments/reports/statement-table.ts';
import type { StatementOf } from '../payments/reports/statement-accounts.ts';
import type { Vendor } from '../parties/vendor.ts';
import { nullable } from '../platform/http/schemas.ts';
import { EXAMPLE_PAYMENT } from './payment-view.ts';
import { cents, instant } from './schemas.ts';

export const statementHead = Type.Object({
  from: instant('Beginning of the period.'),
  to: instant('End of the period, at most the present.'),
  opening_cents: cents('Your money with us at the beginning: collected, float and reserved.'),
  closing_cents: cents('Your money with us at the end: the opening balance plus all changes.'),
  opening_float_cents: cents('The float at the beginning.'),
  closing_float_cents: cents('The float at the end.'),
  count: Type.Integer({ description: 'Number of lines.' }),
  movements: Type.Array(
    Type.Object({
      movement: Type.String({ examples: ['paid'] }),
      count: Type.Integer(),
      change_cents: cents('The change of your money with us by these movements.'),
    }),
    { description: 'The movements, summed by kind.' },
  ),
});

export const statementLine = Type.Object({
  at: instant('When the movement was posted.'),
  movement: Type.String({ description: 'The kind of movement.', examples: ['paid'] }),
  reference: nullable(Type.String({ description: 'Our reference of the payment or other cause.' })),
  merchant_reference: nullable(Type.String({ description: 'Your reference of the payment.' })),
  collector: nullable(Type.String({ description: 'The collector that reported the income.' })),
  collector_reference: nullable(Type.String()),
  operator: nullable(Type.String({ description: 'The operator that executed the payment.' })),
  operator_reference: nullable(Type.String()),
  bank_reference: nullable(Type.String({ description: 'The bank’s reference of a payout.' })),
  case_id: nullable(Type.String({ description: 'The case that led to a correction.' })),
  debit_account: Type.String({ examples: ['reserved'] }),
  credit_account: Type.String({ examples: ['operator:kplc'] }),
  amount_cents: cents('Amount.'),
  change_cents: cents(
    'The change of your money with us; 0: money moved between your own accounts.',
  ),
  balance_cents: cents('Your money with us after the movement.'),
  float_cents: cents('The float after the movement.'),
});

/** The statement leaves out operators' charges to us: they are not the vendor's business. */
export function statementOf({ vendorId }: Vendor): StatementOf {
  return { kind: 'vendor', vendorId, withOwnTerms: false };
}

export function headView(head: StatementHead): Static<typeof statementHead> {
  return {
    from: head.from.toISOString(),
    to: head.to.toISOString(),
    opening_cents: String(head.openingCents),
    closing_cents: String(head.closingCents),
    opening_float_cents: String(head.openingFloatCents),
    closing_float_cents: String(head.closingFloatCents),
    count: head.count,
    movements: head.movements.map(({ movement, count, changeCents }) => ({
      movement,
      count,
      change_cents: String(changeCents),
    })),
  };
}

export function lineView(line: StatementLine): Static<typeof statementLine> {
  const named = referencesOf(line);
  return {
    at: line.at.toISOString(),
    movement: line.movement,
    reference: named.reference,
    merchant_reference: named.merchantReference,
    collector: named.collector,
    collector_reference: named.collectorReference,
    operator: named.operator,
    operator_reference: named.operatorReference,
    bank_reference: named.bankReference,
    case_id: named.caseId,
    debit_account: line.debitAccount,
    credit_account: line.creditAccount,
    amount_cents: String(line.amountCents),
    change_cents: String(line.changeCents),
    balance_cents: String(line.balanceCents),
    float_cents: String(line.floatCents),
  };
}

export const EXAMPLE_HEAD: Static<typeof statementHead> = {
  from: '2026-11-20T21:00:00.000Z',
  to: '2026-11-21T21:00:00.000Z',
  opening_cents: '10000000',
  closing_cents: '9990000',
  opening_float_cents: '10000000',
  closing_float_cents: '9990000',
  count: 2,
  movements: [
    { movement: 'reserved', count: 1, change_cents: '0' },
    { movement: 'paid', count: 1, change_cents: '-10000' },
  ],
};

export const EXAMPLE_LINE: Static<typeof statementLine> = {
  at: '2026-11-21T06:15:01.000Z',
  movement: 'paid',
  reference: EXAMPLE_PAYMENT.reference,
  merchant_reference: EXAMPLE_PAYMENT.merchant_reference,
  collector: null,
  collector_reference: null,
  operator: 'kplc',
  operator_reference: 'OP151DB25E3B85FA91',
  bank_reference: null,
  case_id: null,
  debit_account: 'reserved',
  credit_account: 'operator:kplc',
  amount_cents: '10000',
  change_cents: '-10000',
  balance_cents: '9990000',
  float_cents: '9990000',
};
