import type { Line } from './kind.ts';

export type Decision = 'approved' | 'rejected' | 'withdrawn' | 'expired';

export interface NewProposal {
  proposalId: string;
  kind: string;
  about: string;
  vendorId: number | null;
  content: object;
  shown: readonly Line[];
  note: string;
  proposedBy: string;
  proposerId: string | null;
  proposedAt: Date;
  expiresAt: Date | null;
  mac: Buffer;
}

export interface NewDecision {
  proposalId: string;
  decision: Decision;
  decidedBy: string;
  deciderId: string | null;
  decidedAt: Date;
  note: string;
  isAlone: boolean;
  carriedOut: readonly Line[] | null;
  mac: Buffer;
}

/** With its decision; null: it waits. */
export interface ProposalRow extends NewProposal {
  isOpen: boolean;
  decision: Decision | null;
  decidedBy: string | null;
  deciderId: string | null;
  decidedAt: Date | null;
  decisionNote: string | null;
  isAlone: boolean | null;
  carriedOut: readonly Line[] | null;
  decisionMac: Buffer | null;
}
