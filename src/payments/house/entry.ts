import { PlainError } from '../../platform/base/plain-error.ts';
import { plainReference } from '../../platform/base/written-alike.ts';
import type { HouseAccount } from './account.ts';

/**
 * Kinds of movements that people may enter about our float with an operator: money that we put in or
 * took out, the operator's charges, and what was there when its books begin.
 */
export const ENTRY_KINDS = ['top_up', 'withdrawal', 'charge', 'opening'] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

export interface Sides {
  readonly debitAccount: HouseAccount;
  readonly creditAccount: HouseAccount;
}

/**
 * Between which accounts an entry is. Pure.
 * @param bank the source whose account the money left or reached; null: not known yet.
 */
export function sidesOf(kind: EntryKind, operatorCode: string, bank: string | null): Sides {
  const float: HouseAccount = `operator-float:${operatorCode}`;
  const other: HouseAccount = bank === null ? 'suspense' : `bank:${bank}`;
  switch (kind) {
    case 'top_up':
      return { debitAccount: float, creditAccount: other };
    case 'withdrawal':
      return { debitAccount: other, creditAccount: float };
    case 'charge':
      return { debitAccount: `operator-charges:${operatorCode}`, creditAccount: float };
    case 'opening':
      return { debitAccount: float, creditAccount: 'opening' };
  }
}

/** A top-up or a charge that a statement lists. */
export interface ListedMovement {
  readonly rowId: string;
  readonly operatorReference: string;
  readonly amountCents: bigint;
  readonly at: Date;
}

/** A top-up or a charge that two people entered, and that no statement has listed yet. */
export interface EnteredMovement {
  readonly entryId: string;
  readonly reference: string;
  readonly amountCents: bigint;
  readonly movedAt: Date;
}

/**
 * The reference, trimmed. Unlike other text (`requireText`), it needs a letter from A to Z or a digit,
 * because only these are compared: references without any would all count as the same one.
 * Throws: `PlainError`.
 */
export function requireReference(reference: string): string {
  if (plainReference(reference) !== '') return reference.trim();
  const text = 'It must have a letter from A to Z or a digit from 0 to 9.';
  throw new PlainError(text, { field: 'reference' });
}

/** Throws: `PlainError` unless it is above 0. */
export function requireAmount(kind: EntryKind, amountCents: bigint): void {
  if (amountCents > 0n) return;
  const text =
    kind === 'opening'
      ? 'It must be greater than 0. Enter the balance of an earlier time, or the one after the next top-up, with the time of that balance.'
      : 'It must be greater than 0.';
  throw new PlainError(text, { field: 'amount' });
}

/** The kinds of entries that statements list too. */
export type ListedKind = Extract<EntryKind, 'top_up' | 'charge'>;

export function isListedKind(kind: EntryKind): kind is ListedKind {
  return kind === 'top_up' || kind === 'charge';
}

/** Tolerated difference between the bank's date and the operator's. */
const NEAR_MS = 3 * 86_400_000;

/**
 * Which of the listed movements people entered before: with the same amount, and the same reference. A
 * top-up may have another reference and about the same time, because banks and operators number them
 * differently; charges of one amount recur. Each entry is used once.
 * Returns the entry's id by the row's. Pure.
 */
export function matchEntered(
  kind: ListedKind,
  listed: readonly ListedMovement[],
  entered: readonly EnteredMovement[],
): Map<string, string> {
  const matches = new Map<string, string>();
  const free = new Set(entered);
  const take = (
    row: ListedMovement,
    fits: (entry: EnteredMovement) => boolean,
    rank: (entry: EnteredMovement) => number,
  ): void => {
    const [best] = [...free]
      .filter((entry) => entry.amountCents === row.amountCents && fits(entry))
      .toSorted((one, other) => rank(one) - rank(other));
    if (best === undefined) return;
    free.delete(best);
    matches.set(row.rowId, best.entryId);
  };
  for (const row of listed) {
    take(
      row,
      (entry) => plainReference(entry.reference) === plainReference(row.operatorReference),
      () => 0,
    );
  }
  if (kind === 'charge') return matches;
  for (const row of listed.toSorted((one, other) => Number(one.at) - Number(other.at))) {
    if (matches.has(row.rowId)) continue;
    const distance = (entry: EnteredMovement): number =>
      Math.abs(Number(entry.movedAt) - Number(row.at));
    take(row, (entry) => distance(entry) <= NEAR_MS, distance);
  }
  return matches;
}
