import { Type } from 'typebox';
import { isSamePerson } from '../../platform/base/person.ts';
import type { Proposal } from '../../platform/base/proposal.ts';
import type { DecisionView } from '../answers.ts';
import type { Permission } from '../../parties/people/permissions.ts';
import { Audited, route } from '../route.ts';
import type { AnyRoute } from '../route.ts';
import { rowId } from './fields.ts';
import { onlyReason } from './reason.ts';

/** Which proposals of two people are listed. */
export const stateQuery = Type.Object(
  {
    /** `open`: only those that wait for another person. */
    state: Type.Optional(Type.Enum(['open', 'all'])),
  },
  { additionalProperties: false },
);

/** Who proposed something and who decided about it, as the console shows it to this person. */
export function decisionView(row: Proposal, login: string): DecisionView {
  const { proposedBy, proposedAt, decision, decidedBy, decidedAt } = row;
  return {
    ...{ proposedBy, decision, decidedBy },
    proposedAt: proposedAt.toISOString(),
    decidedAt: decidedAt?.toISOString() ?? null,
    isOwn: isSamePerson(proposedBy, login),
  };
}

const params = Type.Object({ id: rowId });

/** What one person proposed and another one decides. */
interface Decided {
  /** Of the list, such as `/payouts`. */
  readonly path: string;
  readonly permission: Permission;
  /** As the audit log calls it: `payout` is approved with `payout.approve`. */
  readonly noun: string;
  /** Returns what the audit log keeps of what was approved. */
  readonly approve: (id: string, by: string) => Promise<object>;
  readonly reject: (id: string, by: string) => Promise<unknown>;
}

/** The routes that approve and reject it. */
export function decisionRoutes({ path, permission, noun, approve, reject }: Decided): AnyRoute[] {
  const common = { method: 'POST', permission, params } as const;
  return [
    route({
      ...common,
      path: `${path}/:id/approve`,
      action: `${noun}.approve`,
      handle: async ({ params: { id } }, { viewer }) =>
        new Audited(undefined, { after: await approve(id, viewer.login) }),
    }),
    route({
      ...common,
      path: `${path}/:id/reject`,
      action: `${noun}.reject`,
      body: onlyReason,
      handle: async ({ params: { id } }, { viewer }) => {
        await reject(id, viewer.login);
      },
    }),
  ];
}
