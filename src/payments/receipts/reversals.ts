import { DAY_MS } from '../../platform/base/days.ts';
import { isWrittenAlike, plainReference } from '../../platform/base/written-alike.ts';
import type { ReceiptReport } from './receipt.ts';
import { isNamed } from './same-money.ts';

/** A reversal of a receipt that was reported. */
export interface Reversal {
  readonly cents: bigint;
  /** A channel and its source, or `person`. */
  readonly reporter: string;
  /** Tells the reversals of one reporter apart; null: it is known that money went back, not which of them it was. */
  readonly key: string | null;
  /** Another reporter had reported this money before. */
  readonly isRepeat: boolean;
  readonly reversedAt: Date;
}

/** People who report reversals are one reporter: they tell what they have heard. */
export const PERSON = 'person';

/**
 * Says what a report of a reversal is: `known` if its reporter has reported it, `repeat` if another one has, and
 * `new` if more money went back. Reversals of one amount cannot be told apart across reporters, so what counts is how
 * many of them one reporter has. Pure.
 * @param seenUntil when people assigned the receipt, if this happened later: they knew the earlier ones.
 */
export function judgeReversal(
  kept: readonly Reversal[],
  report: Pick<Reversal, 'cents' | 'reporter' | 'key'>,
  seenUntil: Date | null = null,
): 'known' | 'repeat' | 'new' {
  const equal = kept.filter(({ cents }) => cents === report.cents);
  const isOwn = ({ reporter, key }: Reversal): boolean =>
    reporter === report.reporter && key !== null;
  if (equal.some((one) => isOwn(one) && one.key === report.key)) return 'known';
  const later = unseen(equal, seenUntil);
  if (report.key === null) return later.length === 0 ? 'new' : 'known';
  const groups = Map.groupBy(later, ({ reporter, key }) => (key === null ? null : reporter));
  const most = Math.max(0, ...[...groups.values()].map(({ length }) => length));
  const own = later.filter(isOwn);
  return own.length + 1 <= most ? 'repeat' : 'new';
}

/** A report that money of a receipt went back. */
export interface ReversalReport {
  /** A person, or the channel. */
  readonly actor: string;
  /** The source of a channel. */
  readonly sourceCode?: string | undefined;
  /** Absent: all that has not gone back yet. */
  readonly cents?: bigint | undefined;
  /** When the money went back; a statement has the day only. Default: now. */
  readonly at?: Date | undefined;
  /** See `Reversal`. */
  readonly key?: string | null | undefined;
}

export interface Judged extends Pick<Reversal, 'cents' | 'reporter' | 'key'> {
  readonly judged: 'known' | 'repeat' | 'new';
}

/**
 * Says what a report of a reversal adds to those that are kept. Pure.
 * @param now when it is recorded.
 */
export function judge(
  row: {
    readonly amountCents: bigint;
    readonly vendorId: number | null;
    /** When people assigned it. */
    readonly decidedAt: Date | null;
  },
  kept: readonly Reversal[],
  { actor, sourceCode, at, key = null, cents: given }: ReversalReport,
  now: Date,
): Judged {
  const bookedMs = actor === 'statement' ? DAY_MS : 0;
  const happenedAt = at === undefined ? now : new Date(at.getTime() + bookedMs);
  const { vendorId, decidedAt } = row;
  const isLater = vendorId !== null && decidedAt !== null && decidedAt < happenedAt;
  const seenUntil = isLater ? decidedAt : null;
  const cents = given ?? row.amountCents - sumReversed(unseen(kept, seenUntil));
  const reporter = sourceCode === undefined ? PERSON : `${actor} ${sourceCode}`;
  const made = { cents, reporter, key };
  return { ...made, judged: cents <= 0n ? 'known' : judgeReversal(kept, made, seenUntil) };
}

interface Numbered {
  readonly issuer: string;
  readonly receipt: string;
  readonly amountCents: bigint;
}

/**
 * The receipt that a bank's debit or return may take back: of its issuer, or of its amount, because it may be known
 * from a source of another issuer, as one receipt or as another, or in another spelling. A return that has a number
 * of its own may name the receipt: the only one of its amount, since charges name it as well. Pure.
 * @param rows receipts whose numbers may be the debit's, or one of those that it names.
 */
export function findReturned<Row extends Numbered>(
  rows: readonly Row[],
  { issuer, receipt, amountCents, returns = [] }: Numbered & Pick<ReceiptReport, 'returns'>,
): Row | undefined {
  const alike = rows.filter((row) => isWrittenAlike(row.receipt, receipt));
  const same = alike.filter((row) => row.receipt === receipt);
  const own =
    same.find((row) => row.issuer === issuer) ??
    [...same, ...alike].find((row) => row.amountCents === amountCents);
  if (own !== undefined) return own;
  const named = rows.filter(
    (row) => row.amountCents === amountCents && isNamed(row.receipt, returns),
  );
  return named.length === 1 ? named[0] : undefined;
}

/** The numbers that `findReturned` needs the receipts of. */
export function numbersReturned({
  receipt,
  returns = [],
}: Pick<ReceiptReport, 'receipt' | 'returns'>): readonly string[] {
  return [...new Set([plainReference(receipt), ...returns])];
}

/** The reversals that people had not seen when they assigned the receipt. @param seenUntil null: they did not. */
export function unseen(kept: readonly Reversal[], seenUntil: Date | null): readonly Reversal[] {
  return seenUntil === null ? kept : kept.filter(({ reversedAt }) => reversedAt > seenUntil);
}

/** The sum of what went back, in cents. */
export function sumReversed(kept: readonly Reversal[]): bigint {
  return kept.reduce((sum, { cents, isRepeat }) => (isRepeat ? sum : sum + cents), 0n);
}
