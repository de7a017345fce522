import { PlainError } from '../platform/base/plain-error.ts';
import type { Actor, Line } from './kind.ts';
import type { Decision, ProposalRow } from './proposal.ts';

export const ALTERED_DECISION =
  'The decision about the proposal was changed in the database, or the service did not record it. Reject it, and see malipo ledger check.';

/** A proposal that waits. */
export const UNDECIDED = {
  isOpen: true,
  decision: null,
  decidedBy: null,
  deciderId: null,
  decidedAt: null,
  decisionNote: null,
  isAlone: null,
  carriedOut: null,
  decisionMac: null,
} as const;

export interface Made {
  readonly decision: Decision;
  readonly by: Actor;
  readonly note: string;
  readonly at: Date;
  readonly isAlone: boolean;
  readonly carriedOut: readonly Line[] | null;
}

export function actorOf(row: ProposalRow): {
  readonly personId: string | null;
  readonly names: string[];
} {
  return { personId: row.proposerId, names: [row.proposedBy] };
}

/** The problem that stops it, as people read it; null: none. */
export function problemOf(check: () => void): string | null {
  try {
    check();
    return null;
  } catch (error) {
    if (error instanceof PlainError) return error.message;
    throw error;
  }
}
