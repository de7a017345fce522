import { Type } from 'typebox';
import type { Static } from 'typebox';
import { compiled } from '../../../platform/base/compiled.ts';
import { readJson } from '../../values.ts';
import { CURRENCY, MONEY_PATTERN } from '../../../platform/base/money.ts';

// Response bodies from an operator, as in docs/reference/operator-protocol.md. They are hostile
// input: a body that does not follow the protocol exactly is not an answer.

/** No control characters, no lone surrogates: it must fit into a database text and a log line. */
const printable = (length: number) => Type.String({ pattern: `^\\P{C}{1,${length}}$` });
/** Any text: it is compared with our reference, or cleaned by `cleanReference`. */
const reference = Type.String({ minLength: 1 });
const code = Type.String({ pattern: '^[A-Za-z0-9_.-]{1,60}$' });
/** Free text for people, cleaned by `cleanText`. */
const message = Type.String();
const amount = Type.String({ pattern: MONEY_PATTERN.source });
/** An amount with at least one digit other than 0. */
const positiveAmount = Type.String({ pattern: MONEY_PATTERN.source.replace('^', '^(?=.*[1-9])') });
const time = Type.String({
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?(Z|[+-]\\d{2}:\\d{2})$',
});
const details = Type.Record(
  Type.String({ pattern: '^[a-z][a-z0-9_]{0,39}$' }),
  Type.String({ pattern: '^\\P{C}{0,200}$' }),
  { additionalProperties: false, maxProperties: 16 },
);

const PAID = Type.Object({
  status: Type.Literal('paid'),
  reference,
  operator_reference: printable(100),
  amount: positiveAmount,
  currency: Type.Optional(Type.Literal(CURRENCY)),
  message,
  paid_at: time,
  details: Type.Optional(details),
  /** True: more details follow. */
  details_follow: Type.Optional(Type.Boolean()),
});
const DECLINED = Type.Object({ status: Type.Literal('declined'), reference, code, message });
const ACCEPTED = Type.Object({
  status: Type.Literal('accepted'),
  reference,
  handle: Type.Optional(printable(100)),
});
const UNAVAILABLE = Type.Object({ status: Type.Literal('unavailable'), reference, code, message });
const PROCESSING = Type.Object({ status: Type.Literal('processing'), reference });
const CONFLICT = Type.Object({ status: Type.Literal('conflict'), reference });
const NOT_FOUND = Type.Object({ status: Type.Literal('not_found'), reference });

const PAYMENT_ANSWER = Type.Union([
  PAID,
  DECLINED,
  ACCEPTED,
  UNAVAILABLE,
  PROCESSING,
  CONFLICT,
  NOT_FOUND,
]);
const ACCOUNT_ANSWER = Type.Union([
  Type.Object({
    status: Type.Literal('valid'),
    name: Type.Optional(Type.String()),
    amount_due: Type.Optional(amount),
    /** YYYY-MM-DD. */
    due_date: Type.Optional(Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' })),
  }),
  Type.Object({ status: Type.Literal('invalid'), message }),
]);
const BALANCE_ANSWER = Type.Object({
  status: Type.Literal('ok'),
  balance: amount,
  currency: Type.Literal(CURRENCY),
});

const paymentSchema = compiled(PAYMENT_ANSWER);
const accountSchema = compiled(ACCOUNT_ANSWER);
const balanceSchema = compiled(BALANCE_ANSWER);

export type PaidAnswer = Static<typeof PAID>;
export type PaymentAnswer = Static<typeof PAYMENT_ANSWER>;
export type AccountAnswerBody = Static<typeof ACCOUNT_ANSWER>;

/** An answer to an instruction or a status query, or a callback. Undefined if it is invalid. */
export function readPaymentAnswer(body: Buffer): PaymentAnswer | undefined {
  const value = readJson(body, 'number');
  return paymentSchema.fits(value) ? value : undefined;
}

/** An answer about an account. Undefined if it is invalid. */
export function readAccountAnswer(body: Buffer): AccountAnswerBody | undefined {
  const value = readJson(body, 'number');
  return accountSchema.fits(value) ? value : undefined;
}

/** The decimal text of a balance in our currency. Undefined if it is invalid. */
export function readBalanceAnswer(body: Buffer): string | undefined {
  const value = readJson(body, 'number');
  return balanceSchema.fits(value) ? value.balance : undefined;
}
