import { COMMAND_LINE } from '../../proposals/actors.ts';
import type { Proposals } from '../../proposals/proposals.ts';
import type { ProposalRow } from '../../proposals/proposal.ts';
import { createProposals } from '../../proposal-kinds.ts';
import { viewOfProposal } from '../../staff/proposal-core.ts';
import { proposalView } from '../../staff/proposal-schema.ts';
import type { Answer } from '../output.ts';
import type { Session } from '../session.ts';
import { objectText } from '../staff/shown.ts';

export async function openProposals(session: Session): Promise<Proposals> {
  const { pool, wireTime } = session;
  const ledgerMac = await session.ledgerMac();
  const { masterKeys } = await session.sealing();
  return createProposals({ pool, wireTime, ledgerMac, masterKeys });
}

/** Describes a proposal: the changes that an approval would make, and the command that approves it. */
export async function waitingAnswer(
  { pool, wireTime }: Session,
  proposals: Proposals,
  row: ProposalRow,
  state = 'Nothing was imported yet: the file waits for another person, who approves it in the console or with',
): Promise<Answer> {
  const of = { pool, proposals: async () => proposals };
  const view = await viewOfProposal(row, of, { personId: null, login: COMMAND_LINE.name });
  return {
    json: { ...(row.decision === null && { waiting: true }), ...view },
    text: objectText(proposalView, view, { wireTime, wide: false, state }),
  };
}
