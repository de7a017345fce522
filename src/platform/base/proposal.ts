import { PlainError } from './plain-error.ts';

/** What one person proposes and another one decides. */
export interface Proposal {
  proposedBy: string;
  proposedAt: Date;
  decision: 'approved' | 'rejected' | null;
  decidedBy: string | null;
  decidedAt: Date | null;
}

/** @param what the noun for it, such as `journal`. Throws: `PlainError` if it does not exist. */
export function requireFound<Row>(row: Row | undefined, what: string): Row {
  if (row !== undefined) return row;
  throw new PlainError(`This ${what} does not exist.`);
}

/** Throws: `PlainError` if it does not exist or was decided. */
export function requireOpen<Row extends Proposal>(row: Row | undefined, what: string): Row {
  const found = requireFound(row, what);
  if (found.decision === null) return found;
  throw new PlainError(`The ${what} was already ${found.decision} by ${found.decidedBy}.`);
}

/**
 * What a person writes for others to read, trimmed. Letters and digits of every script count, because
 * it is never compared. Throws: `PlainError` unless it has a letter or a digit.
 */
export function requireText(text: string, field: string): string {
  if (/[\p{L}\p{N}]/u.test(text)) return text.trim();
  throw new PlainError('It must have a letter or a digit.', { field });
}
