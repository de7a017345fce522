import type { NewPayment } from './payment.ts';

/**
 * The round in which each payment of a batch is decided, from 1: after every earlier payment that can
 * change the decision on it (other than by using up float), because it has the same reference, or the same
 * content and one of the two asks for the check. Null: one round.
 */
export function roundsOf(batch: readonly NewPayment[]): number[] | null {
  // The last rounds so far, by vendor and reference, and by vendor and content.
  const ofReference = new Map<string, number>();
  const ofContent = new Map<string, { readonly any: number; readonly checked: number }>();
  const anyCheck = batch.some((row) => row.duplicateSeconds > 0);
  let last = 0;
  const rounds = batch.map((row) => {
    let round = 1;
    const reference =
      row.merchantReference === null ? null : `${row.vendorId} ${row.merchantReference}`;
    if (reference !== null) round = (ofReference.get(reference) ?? 0) + 1;
    if (anyCheck) {
      const content = `${row.vendorId} ${row.amountCents} ${row.billerCode} ${row.account}`;
      const equal = ofContent.get(content) ?? { any: 0, checked: 0 };
      round = Math.max(round, (row.duplicateSeconds > 0 ? equal.any : equal.checked) + 1);
      ofContent.set(content, {
        any: Math.max(equal.any, round),
        checked: row.duplicateSeconds > 0 ? round : equal.checked,
      });
    }
    if (reference !== null) ofReference.set(reference, round);
    last = Math.max(last, round);
    return round;
  });
  return last > 1 ? rounds : null;
}
