import { MPESA } from '../../connectors/source.ts';
import { cleanMessage } from '../../platform/base/clean-text.ts';

/** The way in which a report of a receipt arrived. */
export type Channel = 'confirmation' | 'pull' | 'stk' | 'statement';

export type ReceiptState =
  | 'unmatched'
  | 'unconfirmed'
  | 'misdated'
  | 'claimed'
  | 'credited'
  | 'disputed'
  | 'closed';

/** States of receipts that are not credited and may still be. */
export const OPEN_STATES = [
  'unmatched',
  'unconfirmed',
  'misdated',
  'claimed',
  'disputed',
] as const satisfies readonly ReceiptState[];

/** One report of a payment of a customer to one of our accounts at a provider. */
export interface ReceiptReport {
  /** Who numbers the receipts: one number of an issuer is one receipt, whatever the source. */
  readonly issuer: string;
  readonly receipt: string;
  readonly sourceCode: string;
  /** In whose name it is collected. */
  readonly collector: string;
  /** The account of ours that the money came to, without `bank:`. Absent: that of the source's code. */
  readonly bank?: string;
  readonly channel: Channel;
  readonly amountCents: bigint;
  readonly paidAt: Date;
  /** Normalised; null if the channel does not carry it. */
  readonly account: string | null;
  /** Name and masked number, for people. */
  readonly payer: string | null;
  /** The receipt number of the bank’s entry that it is a part of; none: it is no part of one. */
  readonly batch?: string | null;
  /** Only the day is known, and `paidAt` is its beginning. */
  readonly isDayOnly?: boolean;
  /** The bank marks it, or its text, as the return of a payment of ours. */
  readonly isReturn?: boolean;
  /** Numbers that the text of a return names, as `plainReference` makes them: one may be the receipt's that it takes back. */
  readonly returns?: readonly string[];
  /** Numbers of other receipts that the text may name, as `plainReference` makes them. */
  readonly named?: readonly string[];
  /** Names in the text if the lines that the bank cut it into are joined in another way. */
  readonly otherReadings?: OtherReadings;
  /** Nothing shows that the account number is whole: a longer one may have been cut off. */
  readonly mayBePart?: boolean;
  /** A spreadsheet may have removed zeros at its beginning. */
  readonly mayLackZeros?: boolean;
  /** The provider gave no time that can be read, and `paidAt` is when its message arrived. */
  readonly isArrivalTime?: boolean;
  /** People entered the number, and the message that they completed does not have it. */
  readonly isByHand?: boolean;
  /** Whatever else is known, people decide about it if it is new. */
  readonly ownDoubt?: Doubt;
}

export interface OtherReadings {
  /** Account numbers that are as likely as `account`. */
  readonly accounts: readonly string[];
  /** Account numbers that are meant only if a vendor has them. */
  readonly unlikelyAccounts: readonly string[];
  /** Receipt numbers of the issuer that the text names. */
  readonly receipts: readonly string[];
}

/** True if its time may be days after the payment: that at which a bank booked it, or at which its report arrived. */
export const isBooked = ({
  channel,
  isArrivalTime = false,
}: Pick<ReceiptReport, 'channel' | 'isArrivalTime'>): boolean =>
  channel === 'statement' || isArrivalTime;

/** Why people decide about a receipt although its vendor may be known. */
export interface Doubt {
  /**
   * `same_number`: another source reported this number. `like_number`: a number that is written
   * differently was reported, or one of the two texts names the number of the other. `alike`: another source reported the same amount for the same account
   * at about this time, or on this day if one of the two has no time. `collected`: a collector reported this number and amount itself.
   * `line_wrap`: its text can be read in two ways. `part`: the account number may be a part of another vendor's. `changed_hands`: the account number was another vendor's before.
   * `opening`: it was paid before the date of the balance that the vendor brought from another system.
   * `payout`: a payout of this amount to the vendor may have come back, or the text names a payout's reference.
   * `mistyped`: people entered the number of one of the two, which have one issuer, amount and account.
   * `returned`: the bank marks it, or its text, as the return of a payment of ours. `renumbered`: the source listed this amount on
   * this day before, when its settings gave lines other numbers. `no_reference`: the bank gives none, so that its number is made of
   * what the line says. `type`: nobody knows whether the provider's word for it means a payment.
   */
  readonly reason:
    | 'same_number'
    | 'like_number'
    | 'alike'
    | 'collected'
    | 'line_wrap'
    | 'part'
    | 'changed_hands'
    | 'opening'
    | 'payout'
    | 'returned'
    | 'renumbered'
    | 'no_reference'
    | 'mistyped'
    | 'type';
  /** The receipts or collections that may be the same money, or the readings of the text. */
  readonly others: readonly string[];
}

/** A receipt as stored, without what people proposed and decided. */
export interface Receipt extends Omit<ReceiptReport, 'channel'> {
  readonly receiptId: string;
  readonly vendorId: number | null;
}

/** People and banks write them into numbers. */
const SEPARATORS = /[\s./_-]/g;

const ACCOUNT_PATTERN = /^[A-Z0-9]{1,20}$/;

/**
 * An account number as it is compared: customers type it with spaces, dashes and in any case.
 * Returns the empty text if nothing that could be an account is left.
 */
export function normaliseAccount(text: string): string {
  const account = text.toUpperCase().replaceAll(SEPARATORS, '');
  return ACCOUNT_PATTERN.test(account) ? account : '';
}

/** Longer than any account number. */
const MAX_REPORTED = 40;

/**
 * The account number that a channel reported: as it is compared, or what the customer wrote if that
 * cannot be one. Null if nothing was written.
 */
export function reportedAccount(text: string | null | undefined): string | null {
  const written = cleanMessage(text ?? '').trim();
  const account = normaliseAccount(written);
  if (account !== '') return account;
  return written === '' ? null : written.slice(0, MAX_REPORTED).toWellFormed();
}

/**
 * The receipt's reference among those of its collector, which may collect at several banks. M-PESA's
 * number stands alone, so that a collector who also reports it by itself is noticed. After a move it is another one,
 * which no collector can report: theirs are ASCII.
 */
export function collectionReference({
  issuer,
  receipt,
  moves = 0,
}: Pick<Receipt, 'issuer' | 'receipt'> & { readonly moves?: number }): string {
  const reference = issuer === MPESA ? receipt : `${issuer}/${receipt}`;
  return moves === 0 ? reference : `${reference}→${moves}`;
}
