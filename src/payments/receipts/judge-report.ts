import { isFarAhead } from '../collections/collect.ts';
import type { Channel, Doubt, ReceiptReport, ReceiptState } from './receipt.ts';

export type ConflictReason = 'amount' | 'time' | 'account' | 'vendor';

export type Decision =
  /** The first report of the receipt. */
  | {
      readonly kind: 'new';
      readonly state: 'claimed' | 'unmatched' | 'unconfirmed' | 'misdated';
      readonly vendorId: number | null;
    }
  | { readonly kind: 'repeat' }
  /** A known receipt gets its vendor. */
  | { readonly kind: 'claim'; readonly vendorId: number; readonly account: string | null }
  /** It contradicts an earlier report: nothing is credited, people look at it. */
  | { readonly kind: 'conflict'; readonly reason: ConflictReason };

/** The receipt as earlier reports left it. */
export interface KnownReceipt {
  readonly state: ReceiptState;
  readonly amountCents: bigint;
  readonly paidAt: Date;
  /** `paidAt` is when the first report arrived. */
  readonly isArrivalTime?: boolean;
  readonly account: string | null;
  readonly vendorId: number | null;
  /** When the provider reported that it took the money back; null: it did not. */
  readonly reversedAt: Date | null;
  /** Why people decide about it; null: nothing but its state. */
  readonly doubt: Doubt | null;
}

/**
 * Times of the payment that differ by more name different payments: the provider, or the bank in
 * another year, uses the number again. Within it, a bank books the payment later.
 */
const SAME_PAYMENT_MS = 31 * 24 * 3_600_000;

type Reported = Pick<ReceiptReport, 'channel' | 'amountCents' | 'paidAt' | 'account'>;

/**
 * Decides what a report changes. Pure.
 * @param about.vendorId of the account that was reported first; undefined: nobody has it, or none
 * was reported.
 * @param about.confirmFromCents confirmations of at least this amount wait until another channel reports the
 * receipt as well; null: none does.
 */
export function decideReport(
  report: Reported,
  about: {
    readonly known: KnownReceipt | undefined;
    readonly vendorId: number | undefined;
    readonly confirmFromCents: bigint | null;
    readonly now: Date;
    /** Set on a first report that may be the same money as another one, or another vendor's. */
    readonly doubt?: Doubt | null;
  },
): Decision {
  const { known, vendorId } = about;
  const needsConfirming = isUnconfirmed(report, about.confirmFromCents);
  if (known === undefined) {
    // Nothing was paid tomorrow: the provider’s clock, or the report, is wrong.
    if (isFarAhead(report.paidAt, about.now.getTime())) {
      return { kind: 'new', state: 'misdated', vendorId: null };
    }
    const isDoubtful = (about.doubt ?? null) !== null;
    if (vendorId === undefined || isDoubtful)
      return { kind: 'new', state: 'unmatched', vendorId: null };
    if (needsConfirming) return { kind: 'new', state: 'unconfirmed', vendorId: null };
    return { kind: 'new', state: 'claimed', vendorId };
  }
  const reason = conflictOf(report, known, vendorId);
  if (reason !== undefined) return { kind: 'conflict', reason };
  // What was taken back is for people.
  if (vendorId === undefined || known.reversedAt !== null) return { kind: 'repeat' };
  // An account that became known later is for people: they may have decided otherwise.
  const isFirstAccount =
    known.state === 'unmatched' &&
    known.doubt === null &&
    known.account === null &&
    report.account !== null &&
    !needsConfirming;
  const isConfirmed = known.state === 'unconfirmed' && report.channel !== 'confirmation';
  if (isConfirmed || isFirstAccount) {
    return { kind: 'claim', vendorId, account: known.account ?? report.account };
  }
  return { kind: 'repeat' };
}

function isUnconfirmed(
  report: { readonly channel: Channel; readonly amountCents: bigint },
  fromCents: bigint | null,
): boolean {
  return report.channel === 'confirmation' && fromCents !== null && report.amountCents >= fromCents;
}

function conflictOf(
  report: Reported,
  known: KnownReceipt,
  vendorId: number | undefined,
): ConflictReason | undefined {
  if (report.amountCents !== known.amountCents) return 'amount';
  const apartMs = Math.abs(report.paidAt.getTime() - known.paidAt.getTime());
  if (apartMs > SAME_PAYMENT_MS && known.isArrivalTime !== true) return 'time';
  if (report.account === null) return undefined;
  if (known.account !== null) return report.account === known.account ? undefined : 'account';
  const isOthers = known.vendorId !== null && vendorId !== undefined && vendorId !== known.vendorId;
  return isOthers ? 'vendor' : undefined;
}
