import { createHash } from 'node:crypto';
import type { Mac } from '../platform/base/mac.ts';
import { jsonText, timeText } from '../platform/base/proposal.ts';
import type { Queryable } from '../platform/db/pool.ts';
import type { Line } from './kind.ts';
import { pageProposals } from './store.ts';
import type { NewDecision, NewProposal, ProposalRow } from './proposal.ts';

const PAGE_ROWS = 1_000;
/** Length of the digest in hexadecimal digits: short, because people copy it on the command line. */
const SEEN_DIGITS = 12;

/** The text that the authentication code of a proposal covers. */
export function proposalText(made: Omit<NewProposal, 'mac'>): string {
  return jsonText([
    'proposals',
    made.proposalId,
    made.kind,
    made.about,
    made.vendorId,
    made.content,
    made.shown,
    made.note,
    made.proposedBy,
    made.proposerId,
    timeText(made.proposedAt),
    made.expiresAt && timeText(made.expiresAt),
  ]);
}

/** The text that the authentication code of a decision covers. @param proposalMac of its proposal. */
export function decisionText(made: Omit<NewDecision, 'mac'>, proposalMac: Buffer): string {
  return jsonText([
    'proposal_decisions',
    made.proposalId,
    proposalMac.toString('hex'),
    made.decision,
    made.decidedBy,
    made.deciderId,
    timeText(made.decidedAt),
    made.note,
    made.isAlone,
    made.carriedOut,
  ]);
}

/** Verifies the authentication code that the service gave to the row's decision. */
export function isDecisionAuthentic(row: ProposalRow, mac: Mac): boolean {
  const { decision, decidedBy, decidedAt, decisionNote, isAlone, decisionMac } = row;
  if (decision === null || decidedBy === null || decidedAt === null) return false;
  if (decisionNote === null || isAlone === null) return false;
  const { proposalId, deciderId, carriedOut } = row;
  const made = { proposalId, decision, decidedBy, deciderId, decidedAt, isAlone, carriedOut };
  return mac.verify(decisionText({ ...made, note: decisionNote }, row.mac), decisionMac);
}

/** Names what a person saw, for the approval: the proposal, its content and what it would do. */
export function seenOf(proposalId: string, lines: readonly Line[]): string {
  const text = jsonText([proposalId, lines]);
  return createHash('sha256').update(text).digest('hex').slice(0, SEEN_DIGITS);
}

/** The rule that `ledger check` applies to proposals and decisions. */
export const DECISIONS_AUTHENTIC = {
  name: 'decisions_authentic',
  says: 'Every proposal of the table proposals, and every decision about one, was recorded by the service: it has a valid authentication code. One that is decided is not listed as waiting, and the other way round.',
  find: async (db: Queryable, mac: Mac): Promise<string[]> => {
    const found: string[] = [];
    for (let after: string | null = null; ;) {
      const rows: ProposalRow[] = await pageProposals(db, after, PAGE_ROWS);
      for (const row of rows) found.push(...faultsOf(row, mac));
      after = rows.at(-1)?.proposalId ?? null;
      if (rows.length < PAGE_ROWS) return found;
    }
  },
} as const;

function faultsOf(row: ProposalRow, mac: Mac): string[] {
  const name = `proposal ${row.proposalId} (${row.kind})`;
  const faults: string[] = [];
  const isDecided = row.decision !== null;
  // Altered and rejected: it was found, and was never carried out.
  const isEnded = isDecided && row.decision !== 'approved';
  if (!isEnded && !mac.verify(proposalText(row), row.mac)) faults.push(`${name}: it was altered`);
  if (isDecided && !isDecisionAuthentic(row, mac)) faults.push(`${name}: its decision was altered`);
  if (isDecided && row.isOpen) faults.push(`${name}: it is decided, but listed as waiting`);
  if (!isDecided && !row.isOpen) faults.push(`${name}: it waits, but is not listed`);
  return faults;
}
