import type { Logger } from 'pino';
import { listUnconfirmed } from '../../parties/people/people-store.ts';
import type { Mac } from '../../platform/base/mac.ts';
import type { WireTime } from '../../platform/base/clock.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { isAllowed } from '../../parties/people/permissions.ts';
import { route } from '../route.ts';
import type { AnyRoute, Viewer } from '../route.ts';
import type { Approval, ApprovalsAnswer } from '../system-answers.ts';
import { proposalRoutes, waitingProposals } from './proposal-decisions.ts';
import type { ProposalRoutesOptions } from './proposal-decisions.ts';

export interface ApprovalRoutesOptions extends ProposalRoutesOptions {
  readonly pool: Pool;
  readonly ledgerMac: Mac;
  readonly wireTime: WireTime;
  readonly log: Logger;
}

/** What waits for a second person. */
export function approvalRoutes(options: ApprovalRoutesOptions): AnyRoute[] {
  const { pool } = options;
  return [
    route({
      method: 'GET',
      path: '/approvals',
      permission: 'approvals.read',
      handle: async (_input, { viewer }): Promise<ApprovalsAnswer> => {
        const people = isAllowed(viewer.role, 'people.act') ? await unconfirmed(pool, viewer) : [];
        const approvals = [...people, ...(await waitingProposals(options, viewer))];
        return { approvals, waiting: approvals.filter(({ isOwn }) => !isOwn).length };
      },
    }),
    ...proposalRoutes(options),
  ];
}

/** People who used a link and wait for another administrator to confirm them. */
async function unconfirmed(pool: Pool, viewer: Viewer): Promise<Approval[]> {
  return (await listUnconfirmed(pool)).map(({ personId, login, role, linkByLogin, ...row }) => ({
    kind: 'person',
    id: login,
    proposed: role,
    about: login,
    note: row.name,
    amount: null,
    proposedBy: linkByLogin ?? '',
    proposedAt: (row.credentialsAt ?? row.createdAt).toISOString(),
    isOwn: row.linkBy === viewer.personId || personId === viewer.personId,
  }));
}
