import type { Paid } from '../../operator-outcomes.ts';
import { CURRENCY } from '../../../platform/base/money.ts';
import { cleanMessage } from '../../../platform/base/clean-text.ts';
import { decimalCents, objectOf, textOf } from '../../values.ts';
import { phoneOf } from './requests.ts';
import type { AmountsIn } from './requests.ts';

/** A top-up as an answer, the report and a callback show it; only what we use. */
export interface Transaction {
  readonly id: string;
  readonly reference: string;
  readonly status: string;
  /** Empty in a callback that does not repeat it. */
  readonly phone: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** Undefined: it is no transaction, or has none of our identifiers. */
export function readTransaction(value: unknown): Transaction | undefined {
  const values = objectOf(value);
  const id = textOf(values?.['transactionId']);
  const reference = textOf(values?.['customIdentifier']);
  const status = textOf(values?.['status']);
  if (values === undefined || id === undefined || reference === undefined) return undefined;
  if (status === undefined || !/^[\w-]{1,60}$/.test(id)) return undefined;
  return { id, reference, status, phone: textOf(values['recipientPhone']) ?? '', values };
}

/** Matches a transaction with the instruction. Reloadly's filter ignores case; we do not. */
export function isAbout(
  { reference, phone }: Transaction,
  sent: { readonly reference: string; readonly account: string },
): boolean {
  if (reference !== sent.reference) return false;
  // Some answers repeat the number without the country's code.
  return phone === '' || phone.slice(-9) === (phoneOf(sent.account) ?? '').slice(-9);
}

/** Undefined: the amount or the currency is invalid. */
export function paidBy(transaction: Transaction, amountsIn: AmountsIn): Paid | undefined {
  const { id, values } = transaction;
  const name = amountsIn === 'recipient' ? 'deliveredAmount' : 'requestedAmount';
  const amountCents = wholeCentsOf(textOf(values[name]));
  if (amountCents === undefined || values[`${name}CurrencyCode`] !== CURRENCY) return undefined;
  return {
    kind: 'paid',
    operatorReference: id,
    amountCents,
    message: 'Delivered',
    details: detailsOf(values),
  };
}

/**
 * Cents of decimal text, rounded down: an exchange rate leaves fractions of cents, and we never report
 * more than was delivered.
 */
export function wholeCentsOf(text: string | undefined): bigint | undefined {
  return decimalCents(text, 'down');
}

/** Cents of an amount in another currency at a rate, rounded down. Undefined: not decimal text. */
export function convertedCents(
  amount: string | undefined,
  rate: string | undefined,
): bigint | undefined {
  const [one, other] = [scaledOf(amount), scaledOf(rate)];
  if (one === undefined || other === undefined || other === 0n) return undefined;
  return (one * other) / ((SCALE * SCALE) / 100n);
}

const DECIMAL = /^(\d{1,12})(?:\.(\d{1,12}))?$/;
const DIGITS = 12;
const SCALE = 10n ** BigInt(DIGITS);

function scaledOf(text: string | undefined): bigint | undefined {
  const [, whole, fraction = ''] = DECIMAL.exec(text ?? '') ?? [];
  return whole === undefined
    ? undefined
    : BigInt(whole) * SCALE + BigInt(fraction.padEnd(DIGITS, '0'));
}

/** Details for the customer: the network's own reference, a PIN, and the amount in another currency. */
function detailsOf(values: Transaction['values']): Record<string, string> {
  const pin = objectOf(values['pinDetail']);
  const delivered = textOf(values['deliveredAmount']);
  const currency = textOf(values['deliveredAmountCurrencyCode']);
  const all = {
    network_reference: textOf(values['operatorTransactionId']),
    network: textOf(values['operatorName']),
    pin: textOf(pin?.['code']),
    pin_serial: textOf(pin?.['serial']),
    pin_validity: textOf(pin?.['validity']),
    delivered:
      currency === CURRENCY || delivered === undefined
        ? undefined
        : `${currency ?? ''} ${delivered}`,
  };
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, text]) => {
      const clean = cleanMessage(text ?? '')
        .trim()
        .slice(0, 200);
      return clean === '' ? [] : [[name, clean]];
    }),
  );
}
