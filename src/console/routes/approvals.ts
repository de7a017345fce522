import { route } from '../route.ts';
import type { AnyRoute } from '../route.ts';
import type { ApprovalsAnswer } from '../system-answers.ts';
import { proposalRoutes, waitingProposals } from './proposal-decisions.ts';
import type { ProposalRoutesOptions } from './proposal-decisions.ts';

/** What waits for a second person. */
export function approvalRoutes(options: ProposalRoutesOptions): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/approvals',
      permission: 'approvals.read',
      handle: async (_input, { viewer }): Promise<ApprovalsAnswer> => {
        const approvals = await waitingProposals(options, viewer);
        return { approvals, waiting: approvals.filter(({ isOwn }) => !isOwn).length };
      },
    }),
    ...proposalRoutes(options),
  ];
}
