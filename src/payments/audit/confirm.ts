import type { Violation } from './check.ts';

/** A row that commits on two nodes between their snapshots is found once, or rarely twice. */
const MOST_LOOKS = 3;

/**
 * Looks again until every finding has been found twice in the same words, or in three looks in any.
 * Amounts in the words change while payments go on, so a finding is known by its invariant and vendor.
 * Returns what the last look found and every look before it.
 */
export async function findConfirmed(
  first: readonly Violation[],
  lookAgain: () => Promise<readonly Violation[]>,
): Promise<readonly Violation[]> {
  let confirmed = first;
  for (let looks = 1; looks < MOST_LOOKS && confirmed.length > 0; looks += 1) {
    const before = confirmed;
    const subjects = new Set(before.map(subjectOf));
    const texts = new Set(before.map(textOf));
    confirmed = (await lookAgain()).filter((found) => subjects.has(subjectOf(found)));
    if (confirmed.every((found) => texts.has(textOf(found)))) break;
  }
  return confirmed;
}

function subjectOf({ invariant, vendorId }: Violation): string {
  return `${invariant} ${vendorId}`;
}

function textOf({ invariant, vendorId, detail }: Violation): string {
  return `${invariant} ${vendorId} ${detail}`;
}
