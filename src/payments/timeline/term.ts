import { decodeReference } from '../../platform/base/ids.ts';
import { kenyanMobileNumber, phoneNumber } from '../../platform/base/mobile-number.ts';

/** What a person may mean by a search term: each of these is looked for. */
export interface SearchTerm {
  /** The payment of an `ipay_reference`. */
  readonly location: { readonly vendorId: number; readonly paymentId: string } | undefined;
  readonly merchantReference: string;
  /** The ways in which the same account or phone number may be on file. */
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

/**
 * Mobile numbers are on file as 254722000001. An account at a biller that does not expect a mobile
 * number is on file as it was sent, so that the other usual forms are looked for, too.
 */
function phoneForms(term: string): string[] {
  const phone = phoneNumber(term);
  if (phone === undefined) return [];
  if (kenyanMobileNumber(term) === undefined) return [phone];
  const subscriber = phone.slice('254'.length);
  return [phone, `+${phone}`, `0${subscriber}`, subscriber];
}
