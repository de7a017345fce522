import { Type } from 'typebox';
import type { Static } from 'typebox';
import { PAYMENT_STATUSES } from '../payments/create/payment.ts';
import type { PaymentStatus } from '../payments/create/payment.ts';
import { billerCode } from '../payments/operations/fields.ts';
import type { PaymentQuery } from '../payments/timeline/query.ts';
import { readTerm } from '../payments/timeline/term.ts';
import type { SearchTerm } from '../payments/timeline/term.ts';
import type { Vendor } from '../parties/vendor.ts';
import { Refusal } from '../platform/base/errors.ts';
import { decodeReference } from '../parties/reference.ts';
import { parameter } from '../platform/http/parameter.ts';
import { readPeriod } from './period.ts';
import type { SelfServiceDeps } from './resource.ts';
import { period } from './schemas.ts';

const searched = (description: string) =>
  parameter(/^[^\s].{0,63}$/, '1 to 64 characters, the first of them not a space', description);

/** Which payments: parameters of the list and of its file. */
export const paymentFilter = {
  ...period,
  status: Type.Optional(
    parameter(
      new RegExp(`^(${PAYMENT_STATUSES.join('|')})$`),
      `one of ${PAYMENT_STATUSES.join(', ')}`,
      'Payments that have this status now.',
      { examples: ['SUCCESS'] },
    ),
  ),
  biller: Type.Optional(billerCode),
  account: Type.Optional(
    searched('Payments for this account or phone number, in any usual form of it.'),
  ),
  reference: Type.Optional(searched('The payment with this `ipay_reference`.')),
  merchant_reference: Type.Optional(searched('The payment with this reference of your own.')),
};

export const NOT_FOUND_TEXT =
  'After a restore, a search by one of them that finds nothing is refused with `quarantine` for as long as the payment may be one that was lost: do not pay again.';

/** Searched exactly; only one of them at a time. */
const TERMS = ['reference', 'merchant_reference', 'account'] as const;

const filter = Type.Object(paymentFilter);

/** Without `from`, the list goes back to the beginning. */
const BEGINNING = new Date(0);
/** The clocks of other processes may be ahead. */
const AHEAD_MS = 60_000;

/** Payments of the vendor alone. Throws: `invalid_field`, `ambiguous_request`. */
export function readPaymentQuery(
  asked: Static<typeof filter>,
  vendor: Vendor,
  deps: Pick<SelfServiceDeps, 'wireTime' | 'clock'>,
): PaymentQuery {
  const { from = BEGINNING, to } = readPeriod(asked, deps);
  return {
    term: readTerms(asked),
    filter: {
      vendorId: vendor.vendorId,
      status: readStatus(asked.status),
      billerCode: asked.biller,
    },
    from,
    to: to ?? new Date(deps.clock.now().getTime() + AHEAD_MS),
  };
}

function readTerms(asked: Static<typeof filter>): SearchTerm | undefined {
  const [name, second] = TERMS.filter((one) => asked[one] !== undefined);
  if (name === undefined) return undefined;
  if (second !== undefined) {
    const text = `Send either ${name} or ${second}, not both`;
    throw new Refusal('ambiguous_request', { field: second, text });
  }
  const text = asked[name] ?? '';
  const nothing = { location: undefined, merchantReference: null, accounts: [] };
  if (name === 'reference') return { ...nothing, location: decodeReference(text.toUpperCase()) };
  if (name === 'merchant_reference') return { ...nothing, merchantReference: text };
  return { ...nothing, accounts: readTerm(text).accounts };
}

function readStatus(text: string | undefined): PaymentStatus | undefined {
  return PAYMENT_STATUSES.find((status) => status === text);
}
