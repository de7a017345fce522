import { CURRENCY } from '../../../platform/base/money.ts';
import type { DeclineCode, Declined, Paid, Reversed } from '../../operator-outcomes.ts';
import { declined } from '../../outcomes.ts';
import { cleanMessage } from '../../../platform/base/clean-text.ts';
import { centsOf, objectOf, textOf } from '../../values.ts';
import type { CreditParty } from './requests.ts';

export interface Transaction {
  readonly id: string;
  readonly externalId: string;
  /** The class decides. The state's own id is more detailed, but its table is not public. */
  readonly classId: string;
  readonly message: string;
  readonly productId: string;
  readonly account: string | undefined;
  /** Value for the receiver, in KES cents; undefined for products of a fixed amount. */
  readonly deliveredCents: bigint | undefined;
  readonly operatorReference: string;
  readonly details: Paid['details'];
  /** By DT One's clock; undefined when it is no time. */
  readonly at: Date | undefined;
}

/** The values that a transaction is compared with. */
export interface Expected {
  readonly externalId: string;
  readonly productId: number;
  readonly creditParty: CreditParty;
  readonly amountCents: bigint;
  readonly isFixed: boolean;
  readonly attemptNumber: number;
}

const ID = /^\d{1,19}$/;

export function isTransactionId(text: string | null | undefined): text is string {
  return typeof text === 'string' && ID.test(text);
}

/** Undefined for anything else. */
export function readTransaction(value: unknown): Transaction | undefined {
  const given = objectOf(value);
  const status = objectOf(given?.['status']);
  const classId = textOf(objectOf(status?.['class'])?.['id']);
  const id = textOf(given?.['id']);
  if (given === undefined || classId === undefined || !isTransactionId(id)) return undefined;
  const party = objectOf(given['credit_party_identifier']);
  const at = new Date(textOf(given['confirmation_date']) ?? textOf(given['creation_date']) ?? '');
  return {
    id,
    externalId: textOf(given['external_id']) ?? '',
    classId,
    message: cleanMessage(textOf(status?.['message']) ?? ''),
    productId: textOf(objectOf(given['product'])?.['id']) ?? '',
    account: textOf(party?.['account_number']) ?? textOf(party?.['mobile_number']),
    deliveredCents: deliveredOf(given['adjusted_values']) ?? deliveredOf(given['requested_values']),
    operatorReference: cleanMessage(textOf(given['operator_reference']) ?? '')
      .trim()
      .slice(0, 100),
    details: detailsOf(objectOf(given['pin'])),
    at: Number.isNaN(at.getTime()) ? undefined : at,
  };
}

function deliveredOf(values: unknown): bigint | undefined {
  const destination = objectOf(objectOf(values)?.['destination']);
  if (destination?.['unit'] !== CURRENCY) return undefined;
  return centsOf(textOf(destination['amount']));
}

/** The PIN is the token of prepaid electricity, or a voucher's code. */
function detailsOf(pin: Readonly<Record<string, unknown>> | undefined): Paid['details'] {
  const given = { token: textOf(pin?.['code']), serial: textOf(pin?.['serial']) };
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, text]) =>
      text === undefined || text === '' ? [] : [[name, cleanMessage(text).slice(0, 200)]],
    ),
  );
}

/** Why the transaction does not belong to the payment. */
export function misfitOf(found: Transaction, expected: Expected): string | undefined {
  if (found.externalId !== expected.externalId) return 'it has another external_id';
  if (found.productId !== String(expected.productId)) return 'it is for another product';
  const [account] = Object.values(expected.creditParty);
  return found.account === undefined || found.account === account
    ? undefined
    : 'it is for another account';
}

export type Meaning =
  | Paid
  | Declined
  | Reversed
  /** In two steps: not confirmed. */
  | { readonly kind: 'created' }
  /** Not executed, and it may be tried again. */
  | { readonly kind: 'try_again'; readonly floatIsLow: boolean }
  | { readonly kind: 'undecided' };

const FLOAT_IS_LOW = 'REJECTED-INSUFFICIENT-BALANCE';
const DUPLICATED = 'DECLINED-DUPLICATED-TRANSACTION';

/** @param found is the payment's: see `misfitOf`. */
export function meaningOf(found: Transaction, expected: Expected): Meaning {
  const { classId, message } = found;
  switch (classId) {
    case '1':
      return { kind: 'created' };
    case '4':
      return { kind: 'try_again', floatIsLow: false };
    case '3':
    case '9':
      if (message === FLOAT_IS_LOW) return { kind: 'try_again', floatIsLow: true };
      // The earlier attempt may be what the operator has.
      if (message === DUPLICATED && expected.attemptNumber > 1) return { kind: 'undecided' };
      return declined(message || classId, failureCodeOf(message), message || 'Declined');
    case '7':
      return paidBy(found, expected);
    case '8':
      return { kind: 'reversed', message: 'Reversed by the operator' };
    default:
      return { kind: 'undecided' };
  }
}

function paidBy(found: Transaction, expected: Expected): Paid | { readonly kind: 'undecided' } {
  const amountCents = found.deliveredCents ?? (expected.isFixed ? expected.amountCents : undefined);
  if (amountCents === undefined) return { kind: 'undecided' };
  const { operatorReference, details } = found;
  return {
    kind: 'paid',
    operatorReference: operatorReference || found.id,
    amountCents,
    message: 'Paid',
    details,
  };
}

function failureCodeOf(message: string): DeclineCode {
  if (/-(INVALID|BARRED|INELIGIBLE)-CREDIT-PARTY$/.test(message)) return 'invalid_account';
  if (/-LIMITATIONS-ON-.*-AMOUNT$/.test(message)) return 'amount_not_allowed';
  return message.endsWith('-DEBIT-PARTY') ? 'operator_refused' : 'declined';
}
