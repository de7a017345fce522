import { Type } from 'typebox';
import type { Static } from 'typebox';
import {
  accountPreview,
  creditContent,
  disputePreview,
  listedCreditProposal,
  mergePreview,
} from './credit-schema.ts';
import type { CreditContent, ListedCreditProposal } from './credit-schema.ts';
import { view } from './definition.ts';
import type { Noun } from './definition.ts';
import { idOf, inputOf, openOrAll, orNull, text, textOrNull } from './fields.ts';
import { BY_TIME, list } from './lists.ts';
import { proposalView } from './proposal-schema.ts';

const core = async () => ({
  ...(await import('../credit/decisions/content.ts')),
  ...(await import('./credit-proposal-core.ts')),
});

export interface CreditProposalList {
  readonly proposals: readonly ListedCreditProposal[];
  readonly next: string | null;
}

const { content: lines, ...common } = proposalView.properties;
const detail = Type.Object({
  ...common,
  /** The content for people. */
  lines,
  /** `altered`: it was changed in the database, and nothing of it can be believed. */
  what: text({ title: 'What' }),
  /** Null: it was altered. */
  content: creditContent,
  evidence: text({ title: 'Evidence' }),
  /** The case that led to it. */
  case: textOrNull({ title: 'Case', isOptional: true }),
  // Previews, while it waits.
  merge: orNull(mergePreview, { title: 'Before and after' }),
  dispute: orNull(disputePreview, { title: 'Dispute' }),
  account: orNull(accountPreview, { title: 'Account' }),
  /** Of an approved file; null: it has not begun. */
  import: orNull(Type.Object({ import: text({ title: 'Import' }), is_finished: Type.Boolean() }), {
    title: 'Import',
  }),
});
export type CreditProposal = Omit<Static<typeof detail>, 'content' | 'what'> & {
  readonly what: ListedCreditProposal['what'];
  readonly content: CreditContent | null;
};

export const CREDIT_PROPOSALS: Noun = {
  command: 'credit proposal',
  summary: 'What one person proposed about the registry, with the people whom it concerns.',
  definitions: [
    list(core, BY_TIME, {
      name: 'credit-proposal.list',
      summary: 'Proposals about the registry and scorecards, newest first.',
      route: 'GET /credit/proposals',
      permission: 'credit.read',
      input: { state: openOrAll('also those that were decided') },
      rows: 'proposals',
      row: listedCreditProposal,
      empty: 'no proposals',
      read: async ({ core: { CREDIT_KIND_NAMES: kinds }, input: { state }, deps }, page) =>
        await (await deps.proposals()).list({ open: state === 'open', kinds, ...page }),
      placeOf: ({ proposedAt: at, proposalId: id }) => ({ at, id }),
      show: async (shown, { core: { listedCredit }, deps, viewer }) => {
        const proposals = await deps.proposals();
        return shown.map((row) => listedCredit(proposals, row, viewer));
      },
    }),
    view(core, {
      name: 'credit-proposal.show',
      summary: 'A proposal, with what is on file about its people before and after it.',
      route: 'GET /credit/proposals/:proposal',
      permission: 'credit.reports',
      isNoted: true,
      input: inputOf({ proposal: idOf('proposal') }),
      output: detail,
      handle: async ({ core: { creditProposal }, input, deps, viewer }) =>
        await creditProposal(input.proposal, deps, viewer),
    }),
  ],
};
