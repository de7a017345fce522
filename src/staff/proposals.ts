import { Type } from 'typebox';
import type { TProperties } from 'typebox';
import { action, view } from './definition.ts';
import type { Asked, Noun } from './definition.ts';
import * as fields from './fields.ts';
import { inputOf, reason } from './fields.ts';
import { BY_TIME, list } from './lists.ts';
import type { PageOf } from './lists.ts';
import { listedProposal, proposalView } from './proposal-schema.ts';

const core = async () => ({
  ...(await import('../proposals/access.ts')),
  ...(await import('./proposal-core.ts')),
});
type Core = Awaited<ReturnType<typeof core>>;

export type ProposalList = PageOf<'proposals', typeof listedProposal>;

const proposal = fields.idOf('proposal');

/** A step that ends a proposal, or carries it out. */
function step(verb: 'approve' | 'reject' | 'withdraw', summary: string, more: TProperties) {
  const input = inputOf({ proposal, ...more });
  return action(core, {
    name: `proposal.${verb}`,
    summary,
    route: `POST /proposals/:proposal/${verb}`,
    permission: 'proposals.act',
    ownVendor: true,
    decides: true,
    input,
    output: proposalView,
    handle: async ({ core: loaded, input: given, deps, viewer }: Asked<Core, unknown>) => {
      const { proposal: proposalId, seen = '', reason: note } = given as Given;
      const proposals = await deps.proposals();
      await loaded.requireOpen(proposals, proposalId, viewer);
      const request = { proposalId, by: viewer.actor, note };
      const row =
        verb === 'approve'
          ? await proposals.approve({ ...request, seen })
          : await proposals[verb](request);
      return await loaded.proposedAnswer(row, deps, viewer);
    },
  });
}

interface Given {
  readonly proposal: string;
  readonly seen?: string;
  readonly reason?: string;
}

export const PROPOSALS: Noun = {
  command: 'proposal',
  summary: 'What one person proposed and another person decides. Look at it before you decide.',
  definitions: [
    list(core, BY_TIME, {
      name: 'proposal.list',
      summary: 'Proposals that wait for another person, newest first.',
      route: 'GET /proposals',
      permission: 'proposals.read',
      ownVendor: true,
      input: {
        state: fields.openOrAll('also those that were decided'),
        kind: Type.Optional(fields.code({ description: 'only of this kind' })),
      },
      page: 50,
      rows: 'proposals',
      row: listedProposal,
      empty: 'no proposals',
      isWatched: true,
      read: async ({ core: loaded, input: { state, kind }, deps, viewer }, page) => {
        const proposals = await deps.proposals();
        const all = loaded.kindsFor(proposals, viewer);
        const some = (all ?? [kind ?? '']).filter((name) => name === kind);
        const kinds = kind === undefined ? all : some;
        const filter = { open: state === 'open', kinds, vendorId: viewer.vendor?.vendorId };
        return await proposals.list({ ...filter, ...page });
      },
      placeOf: ({ proposedAt: at, proposalId: id }) => ({ at, id }),
      show: async (shown, { core: loaded, deps, viewer }) => {
        const by = await loaded.viewedBy(deps, viewer);
        const seen = shown.filter((row) => loaded.maySee(by.proposals, row, viewer));
        return seen.map((row) => loaded.listedProposal(row, by));
      },
    }),
    view(core, {
      name: 'proposal.show',
      summary: 'A proposal, and what an approval would do now.',
      route: 'GET /proposals/:proposal',
      permission: 'proposals.read',
      ownVendor: true,
      input: inputOf({ proposal }),
      output: proposalView,
      handle: async ({ core: loaded, input, deps, viewer }) => {
        const row = await loaded.requireShown(await deps.proposals(), input.proposal, viewer);
        return await loaded.viewOfProposal(row, deps, viewer);
      },
    }),
    step('approve', 'Approve and carry out another person’s proposal.', {
      seen: Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'the `seen` of the proposal when you looked at it',
        placeholder: 'code',
      }),
      reason: Type.Optional(reason),
    }),
    step('reject', 'Reject a proposal. What it holds is returned.', { reason }),
    step('withdraw', 'Withdraw your own proposal. What it holds is returned.', { reason }),
  ],
};
