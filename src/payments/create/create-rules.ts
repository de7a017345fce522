import { Refusal } from '../../platform/base/errors.ts';
import { newId } from '../../platform/base/ids.ts';
import { encodeReference } from '../../parties/reference.ts';
import { formatMoney } from '../../platform/base/money.ts';
import { phoneNumber } from '../../platform/base/mobile-number.ts';
import { normaliseAccount, requireAccount, requirePhone } from '../billers/account.ts';
import { ifForVendors } from '../billers/biller.ts';
import type { Biller } from '../billers/biller.ts';
import { amountsText, isSold } from '../billers/product.ts';
import { chargeFor } from '../prices/price.ts';
import type { Vendor } from '../../parties/vendor.ts';
import type { EarlierRow } from './earlier-store.ts';
import type { CreateDecision, CreateRequest, NewPayment } from './payment.ts';
import { unknownBiller } from '../billers/unknown-biller.ts';

/** The vendor's settings that the rules for creating need. */
export type PayingVendor = Pick<
  Vendor,
  'vendorId' | 'duplicateCheck' | 'duplicateWindowSeconds' | 'referenceRequired'
>;

/** The reference of a payment that a restore lost and that the request may be a repeat of. */
export type LostLookup = (
  vendorId: number,
  request: Pick<CreateRequest, 'billerCode' | 'account' | 'amountCents'>,
  biller: Biller | undefined,
) => string | undefined;

/** The accepted payment, as in the answer of create. */
export interface Created {
  readonly reference: string;
  readonly createdAt: Date;
  /** The vendor's fee on top of the amount, with VAT. */
  readonly feeCents: bigint;
  /** True if this is the answer to an earlier request with the same reference and content. */
  readonly replayed: boolean;
}

/** The request as it is compared and stored: the account and phone in their normal form. */
export function normaliseRequest(
  request: CreateRequest,
  biller: Biller | undefined,
): CreateRequest {
  const { phone } = request;
  return {
    ...request,
    account: normaliseAccount(request.account, biller),
    phone: phone === null ? null : (phoneNumber(phone) ?? phone),
  };
}

function requireAmount({ amountCents }: CreateRequest, biller: Biller): void {
  if (amountCents < biller.minimumCents) {
    throw new Refusal('amount_below_minimum', {
      field: 'amount',
      text: `The minimum amount of ${biller.billerCode} is ${formatMoney(biller.minimumCents)}`,
    });
  }
  if (biller.maximumCents !== null && amountCents > biller.maximumCents) {
    throw new Refusal('amount_above_maximum', {
      field: 'amount',
      text: `The maximum amount of ${biller.billerCode} is ${formatMoney(biller.maximumCents)}`,
    });
  }
  if (biller.soldAmounts !== null && !isSold(biller.soldAmounts, amountCents)) {
    throw new Refusal('invalid_field', {
      field: 'amount',
      text: `amount must be one of those that ${biller.billerCode} sells: ${amountsText(biller.soldAmounts)}`,
    });
  }
}

/**
 * The rules that need no database, all from memory.
 * Throws: `unknown_biller`, `invalid_field`, `amount_below_minimum`, `amount_above_maximum`,
 * `missing_field`, `reference_reused` (a restore lost such a payment), `biller_offline`,
 * `changed_meanwhile` (the fee is another one than was shown).
 */
export function planPayment(
  request: CreateRequest,
  vendor: PayingVendor,
  given: Biller | undefined,
  {
    paymentId = newId(),
    nowMs = Date.now(),
    lostOf,
  }: { paymentId?: string; nowMs?: number; lostOf?: LostLookup | undefined } = {},
): NewPayment {
  const biller = ifForVendors(given);
  if (biller === undefined) throw unknownBiller('biller_name', request.billerCode);
  const account = requireAccount(request.account, biller);
  const phone = request.phone === null ? null : requirePhone(request.phone);
  requireAmount(request, biller);
  if (biller.secondaryAccount && request.phone === null) {
    throw new Refusal('missing_field', {
      field: 'phone',
      text: `${biller.billerCode} needs a phone number in addition to the account`,
    });
  }
  if (vendor.referenceRequired && request.merchantReference === null) {
    throw new Refusal('missing_field', {
      field: 'merchant_reference',
      text: 'merchant_reference is required',
    });
  }
  const { billerCode } = biller;
  const lost = lostOf?.(vendor.vendorId, { ...request, billerCode, account }, biller);
  if (lost !== undefined) throw maybeRepeated(lost);
  if (biller.availability === 'OFFLINE') {
    throw new Refusal('biller_offline', { field: 'biller_name', retryAfterSeconds: 60 });
  }
  const { vendorId } = vendor;
  const { amountCents } = request;
  const charge = chargeFor(biller.feePrices, { vendorId, amountCents }, nowMs);
  const { shownFeeCents, ...content } = request;
  requireShown(shownFeeCents, charge.feeCents);
  return {
    ...content,
    vendorId,
    paymentId,
    billerCode,
    account,
    phone,
    ...charge,
    duplicateSeconds: isChecked(request, vendor) ? vendor.duplicateWindowSeconds : 0,
  };
}

/** Prices change at a given time, also between what a person sees and confirms. */
function requireShown(shownFeeCents: bigint | undefined, feeCents: bigint): void {
  if (shownFeeCents === undefined || shownFeeCents === feeCents) return;
  const text = `The fee was ${formatMoney(shownFeeCents)}, and is ${formatMoney(feeCents)} now. Nothing was paid: check the total, and confirm it again`;
  throw new Refusal('changed_meanwhile', { text });
}

function maybeRepeated(reference: string): Refusal {
  return new Refusal('reference_reused', {
    field: 'merchant_reference',
    reference,
    text: `This may be a repeat of ${reference}, which was lost when the service was restored, and was paid. Query its status. It is not paid again until people have decided about it`,
  });
}

function isChecked(
  { merchantReference }: CreateRequest,
  { duplicateCheck }: Pick<Vendor, 'duplicateCheck'>,
): boolean {
  if (duplicateCheck === 'without_reference') return merchantReference === null;
  return duplicateCheck === 'always';
}

const NO_FLOAT_FOR_FEE = 'The billing balance does not cover the amount and its fee';

/** Turns the database's decision into the answer. Throws the refusals that need the database. */
export function answerDecision(payment: NewPayment, decision: CreateDecision): Created {
  switch (decision.kind) {
    case 'accepted':
    case 'replayed':
      return {
        reference: encodeReference(payment.vendorId, decision.paymentId),
        createdAt: decision.createdAt,
        feeCents: decision.feeCents,
        // A batch whose commit was lost is run again: then the payment itself came before.
        replayed: decision.kind === 'replayed' && decision.paymentId !== payment.paymentId,
      };
    case 'reference_reused':
      throw new Refusal('reference_reused', {
        field: 'merchant_reference',
        reference: encodeReference(payment.vendorId, decision.paymentId),
      });
    case 'insufficient_float':
      throw new Refusal('insufficient_float', {
        field: 'amount',
        ...(payment.feeCents === 0n ? {} : { text: NO_FLOAT_FOR_FEE }),
      });
    case 'likely_duplicate': {
      const reference = encodeReference(payment.vendorId, decision.paymentId);
      throw new Refusal('likely_duplicate', {
        reference,
        text: `This looks like a repeat of ${reference}, created within the last ${payment.duplicateSeconds} seconds. Query its status; to pay the same again on purpose, send a new merchant_reference`,
      });
    }
  }
}

/** The answer to a request whose reference stands for this payment. Throws: `reference_reused`. */
export function answerEarlier(
  vendorId: number,
  earlier: Pick<EarlierRow, 'paymentId' | 'createdAt' | 'feeCents' | 'isSame'>,
): Created {
  const reference = encodeReference(vendorId, earlier.paymentId);
  if (!earlier.isSame) {
    throw new Refusal('reference_reused', { field: 'merchant_reference', reference });
  }
  return { reference, createdAt: earlier.createdAt, feeCents: earlier.feeCents, replayed: true };
}
