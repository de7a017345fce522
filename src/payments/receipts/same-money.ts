import { DAY_MS } from '../../platform/base/days.ts';
import { isWrittenAlike, plainReference } from '../../platform/base/written-alike.ts';
import type { ReceiptReport } from './receipt.ts';

/** A receipt with a number like that of a report. It may be the same money. */
export interface OtherReceipt {
  readonly issuer: string;
  readonly receipt: string;
  readonly amountCents: bigint;
  readonly paidAt: Date;
  readonly account: string | null;
  readonly vendorId: number | null;
  /** See `ReceiptReport`. */
  readonly named: readonly string[];
  /** Itself, it may be the money of another one. */
  readonly isDoubtful: boolean;
}

/** `same`: the report is about this receipt. `same_number`, `like_number`: people decide. */
export type Relation = 'same' | 'same_number' | 'like_number' | 'other';

/** A bank lists a payment on the day on which it books it: at the latest after a long weekend. */
const BOOKED_WITHIN_MS = 4 * DAY_MS;
/** See `SAME_PAYMENT_MS` of `judge-report.ts`. */
const NUMBERED_WITHIN_MS = 31 * DAY_MS;

/** @param named numbers as `plainReference` makes them. */
export function isNamed(number: string, named: readonly string[]): boolean {
  return named.includes(plainReference(number));
}

/**
 * Compares a report with a known receipt that may be the same money. One number of one issuer is one
 * receipt. Numbers of different issuers are compared too, because an issuer is only who a source is
 * said to be: a statement of a pay bill may be read as that of a bank. Pure.
 * @param vendorId the vendor of the report's account.
 */
export function relationOf(
  report: Pick<
    ReceiptReport,
    'issuer' | 'receipt' | 'named' | 'amountCents' | 'paidAt' | 'account'
  >,
  other: OtherReceipt,
  vendorId: number | undefined,
): Relation {
  const isSameAmount = report.amountCents === other.amountCents;
  const isSameNumber = report.receipt === other.receipt;
  const apartMs = Math.abs(Number(report.paidAt) - Number(other.paidAt));
  if (!isSameNumber && !isWrittenAlike(report.receipt, other.receipt)) {
    const isEither =
      isNamed(other.receipt, report.named ?? []) || isNamed(report.receipt, other.named);
    return isEither && isSameAmount && apartMs <= NUMBERED_WITHIN_MS ? 'like_number' : 'other';
  }
  if (!isSameNumber && isSameAmount) return 'like_number';
  if (isSameNumber && report.issuer === other.issuer) return 'same';
  const isSameVendor = (vendorId ?? other.vendorId) === (other.vendorId ?? vendorId);
  const isSameAccount =
    isSameVendor &&
    (report.account === null || other.account === null || report.account === other.account);
  if (isSameAmount) {
    const isCertain = isSameAccount && !other.isDoubtful && apartMs <= BOOKED_WITHIN_MS;
    return isCertain ? 'same' : 'same_number';
  }
  // One of them may list what is left after a charge.
  if (!isSameAccount || apartMs > NUMBERED_WITHIN_MS) return 'other';
  return isSameNumber ? 'same_number' : 'like_number';
}

/**
 * Whether two texts of payers name different people for certain: both have telephone numbers, masked or not, and none
 * of them can be equal. Names do not tell: of one payment, one bank file may have the payer's name and the other one
 * the purpose, or another spelling of it. Pure.
 */
export function areOtherPayers(one: string | null, other: string | null): boolean {
  const [phones, others] = [phonesOf(one ?? ''), phonesOf(other ?? '')];
  if (phones.length === 0 || others.length === 0) return false;
  return !phones.some((phone) => others.some((named) => mayBeEqual(phone, named)));
}

/** Digits at the beginning and at the end; all of them in both unless the middle is masked. */
interface WrittenPhone {
  readonly start: string;
  readonly end: string;
}

/** Providers write `254708374149`, `0708374149`, `2547*****149` or `2547 ***** 149`. */
const PHONE = /(?<![A-Za-z0-9])\+?(?:254|0)([17]\d{0,8})(?: ?\*+ ?(\d{2,4}))?(?![A-Za-z0-9*])/g;
/** After the country code. */
const PHONE_DIGITS = 9;

function phonesOf(text: string): WrittenPhone[] {
  return [...text.matchAll(PHONE)]
    .map(([, start = '', end]) => ({ start, end: end ?? start, isMasked: end !== undefined }))
    .filter(({ start, isMasked }) => isMasked || start.length === PHONE_DIGITS);
}

function mayBeEqual(one: WrittenPhone, other: WrittenPhone): boolean {
  const starts = one.start.startsWith(other.start) || other.start.startsWith(one.start);
  return starts && (one.end.endsWith(other.end) || other.end.endsWith(one.end));
}
