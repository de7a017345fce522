import { decodeReference } from '../base/ids.ts';

/** What a person may mean by a search term: each of these is looked for. */
export interface SearchTerm {
  /** The payment of an `ipay_reference`. */
  readonly place: { readonly vendorId: number; readonly transactionId: string } | undefined;
  readonly merchantReference: string;
  /** The ways in which the same account or phone number may be on file. */
  readonly accounts: readonly string[];
}

/** Reads a reference, a merchant reference, an account or a phone number. */
export function readTerm(text: string): SearchTerm {
  const term = text.trim();
  return {
    place: decodeReference(term.toUpperCase()),
    merchantReference: term,
    accounts: [...new Set([term, ...phoneForms(term)])],
  };
}

/** A Kenyan number in every form that counts as the same: 254722000001, +254722000001, 0722000001, 722000001. */
function phoneForms(term: string): string[] {
  const digits = term.replaceAll(/[\s().-]/g, '');
  const [, subscriber] = /^(?:\+?254|0)?([17]\d{8})$/.exec(digits) ?? [];
  if (subscriber === undefined) return [];
  return [`254${subscriber}`, `+254${subscriber}`, `0${subscriber}`, subscriber];
}
