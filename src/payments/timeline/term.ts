import { decodeReference } from '../../parties/reference.ts';
import { kenyanMobileNumber, phoneNumber } from '../../platform/base/mobile-number.ts';

/** The possible meanings of a search term; all of them are searched. */
export interface SearchTerm {
  /** The payment of an `ipay_reference`. */
  readonly location: { readonly vendorId: number; readonly paymentId: string } | undefined;
  /** Null: none is searched. */
  readonly merchantReference: string | null;
  /** The forms in which the same account or phone number may be stored. */
  readonly accounts: readonly string[];
}

/** Reads a reference, a merchant reference, an account or a phone number. */
export function readTerm(text: string): SearchTerm {
  const term = text.trim();
  return {
    location: decodeReference(term.toUpperCase()),
    merchantReference: term,
    accounts: [...new Set([term, ...phoneForms(term)])],
  };
}

/** A Kenyan mobile number as people type it when they search: with `00` instead of `+` as well. */
export function searchedMobileNumber(term: string): string | undefined {
  return kenyanMobileNumber(term.replace(/^00(?=254)/, '+'));
}

/**
 * Mobile numbers are stored as 254722000001. An account at a biller that does not expect a mobile
 * number is stored as it was sent, so the other usual forms are also searched.
 */
function phoneForms(term: string): string[] {
  const phone = searchedMobileNumber(term);
  if (phone === undefined) {
    const foreign = phoneNumber(term);
    return foreign === undefined ? [] : [foreign];
  }
  const subscriber = phone.slice('254'.length);
  return [phone, `+${phone}`, `0${subscriber}`, subscriber];
}
