import type { Mac } from '../../platform/base/mac.ts';
import { jsonText } from '../../platform/base/proposal.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { aboutOf } from './content.ts';
import { pageOfProposals } from './proposals-store.ts';
import type { ProposalRow } from './proposals-store.ts';

/** The text that a proposal's authentication code covers: all of it, with how it was decided. */
export function proposalText(row: Omit<ProposalRow, 'mac'>): string {
  return jsonText([
    'credit_proposals',
    row.proposalId,
    row.about,
    row.content,
    row.caseId,
    row.reason,
    row.evidence,
    row.proposedBy,
    row.proposedAt.toISOString(),
    row.decision,
    row.decidedBy,
    row.decidedAt?.toISOString() ?? null,
  ]);
}

/** Whether the service made the proposal, and nobody altered it or its decision. */
export function isAuthentic(row: ProposalRow, mac: Mac): boolean {
  return row.about === aboutOf(row.content) && mac.verify(proposalText(row), row.mac);
}

const PAGE_ROWS = 1_000;

/** For `ledger check`: proposals and decisions that the service did not record. */
export const PROPOSALS_AUTHENTIC = {
  name: 'credit_proposals_authentic',
  says: 'Every proposal about the credit registry and its decision were recorded by the service: it has a valid authentication code.',
  find: async (db: Queryable, mac: Mac): Promise<string[]> => {
    const found: string[] = [];
    let after: string | undefined;
    do {
      const page = await pageOfProposals(db, { after, limit: PAGE_ROWS });
      const altered = page.filter((row) => !isAuthentic(row, mac));
      found.push(
        ...altered.map(
          ({ proposalId }) => `proposal ${proposalId}: it was altered, or not made by the service`,
        ),
      );
      after = page.length < PAGE_ROWS ? undefined : page.at(-1)?.proposalId;
    } while (after !== undefined);
    return found;
  },
} as const;
