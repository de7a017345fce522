import { PlainError } from './plain-error.ts';

/** @param what the noun for it, such as `proposal`. Throws: `PlainError` if it does not exist. */
export function requireFound<Row>(row: Row | undefined, what: string): Row {
  if (row !== undefined) return row;
  throw new PlainError(`This ${what} does not exist.`);
}

/**
 * Trims a text that a person writes for others to read. Letters and digits of every script count,
 * because it is never compared. Throws: `PlainError` unless it has a letter or a digit.
 */
export function requireText(text: string, field: string): string {
  if (/[\p{L}\p{N}]/u.test(text)) return text.trim();
  throw new PlainError('It must have a letter or a digit.', { field });
}

/** Why a proposal without a valid authentication code is not carried out. */
export const ALTERED =
  'The proposal was changed in the database, or the service did not record it. Reject it, and propose it again. See malipo ledger check.';

/** As JSON, independent of the order in which a database returns fields. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) => {
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/** Also of `infinity`, which somebody may write into the database, and which has no ISO form. */
export function timeText(time: Date): string {
  return Number.isFinite(Number(time)) ? time.toISOString() : String(time);
}
