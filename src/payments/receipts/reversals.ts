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

/** The reversals that people had not seen when they assigned the receipt. @param seenUntil null: they did not. */
export function unseen(kept: readonly Reversal[], seenUntil: Date | null): readonly Reversal[] {
  return seenUntil === null ? kept : kept.filter(({ reversedAt }) => reversedAt > seenUntil);
}

/** The sum of what went back, in cents. */
export function sumReversed(kept: readonly Reversal[]): bigint {
  return kept.reduce((sum, { cents, isRepeat }) => (isRepeat ? sum : sum + cents), 0n);
}
