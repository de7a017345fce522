import type { Violation } from './violation.ts';

/** A row that is committed on two nodes between their snapshots is found once, rarely twice. */
const MAX_LOOKS = 3;

/**
 * Repeats the check until every finding was found twice with the same text, or three times with any
 * text. Amounts in the text change while payments continue, so a finding is identified by its invariant
 * and vendor. Returns the findings of the last check that every earlier check found too.
 */
export async function findConfirmed(
  first: readonly Violation[],
  lookAgain: () => Promise<readonly Violation[]>,
): Promise<readonly Violation[]> {
  let confirmed = first;
  for (let looks = 1; looks < MAX_LOOKS && confirmed.length > 0; looks += 1) {
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
