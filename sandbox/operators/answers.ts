import { createHash } from 'node:crypto';
import { amountText, centsOf } from './amounts.ts';
import type { Payment } from './book.ts';

/** An answer or callback body of `docs/reference/operator-protocol.md`. */
export type Answer = Readonly<Record<string, unknown>> & { readonly status: string };

/** Price of a unit (kWh) of prepaid electricity, in cents; invented. */
const UNIT_PRICE_CENTS = 25_00n;

/**
 * The operator's current answer about a payment.
 * @param detailsAfterMs time from its execution to its details.
 */
export function answerFor(payment: Payment, detailsAfterMs = 0): Answer {
  const { reference } = payment.instruction;
  switch (payment.state) {
    case 'paid':
      return paidAnswer(payment, detailsAfterMs);
    case 'declined':
      return {
        status: 'declined',
        reference,
        code: 'account_refused',
        message: 'The payment was declined',
      };
    default:
      return { status: 'processing', reference };
  }
}

/** The first answer to an instruction that is executed later. */
export function acceptedAnswer(payment: Payment): Answer {
  return {
    status: 'accepted',
    reference: payment.instruction.reference,
    handle: operatorReferenceOf(payment),
  };
}

/** The operator's own reference of a payment; the same after every restart. */
export function operatorReferenceOf({ instruction }: Payment): string {
  return `OP${digest(`receipt ${instruction.operator} ${instruction.reference}`).slice(0, 16).toUpperCase()}`;
}

function paidAnswer(payment: Payment, detailsAfterMs: number): Answer {
  const { instruction, paidAtMs } = payment;
  const follow = Date.now() < (paidAtMs ?? 0) + detailsAfterMs;
  const details = follow ? undefined : detailsOf(payment);
  return {
    status: 'paid',
    reference: instruction.reference,
    operator_reference: operatorReferenceOf(payment),
    amount: amountText(centsOf(instruction.amount)),
    currency: instruction.currency,
    message: 'Payment received',
    paid_at: new Date(paidAtMs ?? 0).toISOString(),
    ...(details === undefined ? {} : { details }),
    ...(follow && { details_follow: true }),
  };
}

/** Prepaid electricity yields a token of 20 digits and its units. */
function detailsOf({ instruction }: Payment): Record<string, string> | undefined {
  if (instruction.biller !== 'kplc_prepaid') return undefined;
  const number = BigInt(
    `0x${digest(`token ${instruction.operator} ${instruction.reference}`).slice(0, 32)}`,
  );
  const hundredthUnits = (centsOf(instruction.amount) * 100n) / UNIT_PRICE_CENTS;
  return {
    token: (number % 10n ** 20n).toString().padStart(20, '0'),
    units: amountText(hundredthUnits),
  };
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
