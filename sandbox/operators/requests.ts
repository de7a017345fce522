import { AMOUNT_PATTERN, amountText, centsOf } from './amounts.ts';
import type { Instruction } from './book.ts';

// The bodies of docs/reference/operator-protocol.md that come to an operator: flat objects of texts.
// Names that the protocol does not know are ignored.

/** An operator's code, in the path. */
export const OPERATOR_CODE = '[a-z0-9][a-z0-9_-]{0,39}';

const REFERENCE = /^[A-Za-z0-9._-]{1,64}$/;
const BILLER = /^[a-z0-9_-]{1,40}$/;
const PRINTABLE = /^\P{C}{1,64}$/u;
const URL_PATTERN = /^https?:\/\/\P{C}{1,500}$/u;

/** Undefined when the body does not follow the protocol. */
export function readInstruction(operator: string, body: unknown): Instruction | undefined {
  const reference = textOf(body, 'reference', REFERENCE);
  const biller = textOf(body, 'biller', BILLER);
  const account = textOf(body, 'account', PRINTABLE);
  const phone = optionalTextOf(body, 'phone', PRINTABLE);
  const amount = textOf(body, 'amount', AMOUNT_PATTERN);
  const currency = textOf(body, 'currency', /^KES$/);
  const callbackUrl = textOf(body, 'callback_url', URL_PATTERN);
  if (
    reference === undefined ||
    biller === undefined ||
    account === undefined ||
    phone === undefined ||
    amount === undefined ||
    currency === undefined ||
    callbackUrl === undefined ||
    !URL.canParse(callbackUrl) ||
    centsOf(amount) === 0n
  ) {
    return undefined;
  }
  return {
    operator,
    reference,
    biller,
    account,
    phone,
    amount: amountText(centsOf(amount)),
    currency,
    callbackUrl,
  };
}

/** Undefined when the body does not follow the protocol. */
export function readStatusQuery(body: unknown): { readonly reference: string } | undefined {
  const reference = textOf(body, 'reference', REFERENCE);
  return reference === undefined ? undefined : { reference };
}

/** Undefined when the body does not follow the protocol. */
export function readAccountQuery(
  body: unknown,
): { readonly biller: string; readonly account: string } | undefined {
  const biller = textOf(body, 'biller', BILLER);
  const account = textOf(body, 'account', PRINTABLE);
  const phone = optionalTextOf(body, 'phone', PRINTABLE);
  if (biller === undefined || account === undefined || phone === undefined) return undefined;
  return { biller, account };
}

function textOf(body: unknown, name: string, pattern: RegExp): string | undefined {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, name)) return undefined;
  const value = (body as Readonly<Record<string, unknown>>)[name];
  return typeof value === 'string' && pattern.test(value) ? value : undefined;
}

/** Null when the name is absent, undefined when its value is wrong. */
function optionalTextOf(body: unknown, name: string, pattern: RegExp): string | null | undefined {
  const absent = typeof body === 'object' && body !== null && !Object.hasOwn(body, name);
  return absent ? null : textOf(body, name, pattern);
}
