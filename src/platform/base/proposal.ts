import { PlainError } from './plain-error.ts';

/** What one person proposes and another one decides. */
export interface Proposal {
  proposedBy: string;
  proposedAt: Date;
  decision: 'approved' | 'rejected' | null;
  decidedBy: string | null;
  decidedAt: Date | null;
}

/** @param what the word for it, such as `journal`. Throws: `PlainError` if it does not exist. */
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
