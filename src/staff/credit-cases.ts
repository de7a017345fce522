import { Type } from 'typebox';
import type { Static } from 'typebox';
import { Refusal } from '../platform/base/errors.ts';
import { endingOf, ofAccount, proposingCredit } from './credit-fields.ts';
import { disputePreview, listedCreditProposal, person } from './credit-schema.ts';
import type { ListedCreditProposal } from './credit-schema.ts';
import { action, view } from './definition.ts';
import type { Noun } from './definition.ts';
import { idOf, inputOf, orNull, text, textOrNull, time, timeOrNull, titled } from './fields.ts';
import { BY_ID, list } from './lists.ts';
import type { PageOf } from './lists.ts';
import { wireOf } from './wire.ts';

const core = async () => ({
  ...(await import('../credit/decisions/content.ts')),
  ...(await import('../credit/decisions/preview.ts')),
  ...(await import('../credit/registry/disputes.ts')),
  ...(await import('../credit/registry/read-cases.ts')),
  ...(await import('../credit/registry/read-disputes.ts')),
  ...(await import('./credit-proposal-core.ts')),
});

const KINDS = ['document_shared', 'documents_conflict', 'account_holder'] as const;

const ofCase = {
  case: text({ title: 'Case' }),
  kind: Type.Enum([...KINDS], { title: 'Kind' }),
  ...titled({ opened_at: time, closed_at: timeOrNull }),
};
/** The finding and what was done. It may name people’s references. */
const resolution = textOrNull({ title: 'Finding' });

const listed = Type.Object({
  ...ofCase,
  /** The last digits of the customers’ references. */
  customers: Type.Array(text(), {
    title: 'Customers',
    text: (endings: readonly string[]) => endings.map((each) => `…${each}`).join(', '),
  }),
  /** Null while the case is open, and for a person who may not see reports. */
  resolution,
});
export type CreditCaseList = PageOf<'cases', typeof listed>;

/** Proposals about one case that are shown. */
const MAX_PROPOSALS = 20;

const detail = Type.Object({
  ...ofCase,
  resolution,
  people: Type.Array(person, { title: 'People' }),
  proposals: Type.Array(listedCreditProposal, { title: 'Proposals' }),
});
export type CreditCase = Omit<Static<typeof detail>, 'proposals'> & {
  readonly proposals: readonly ListedCreditProposal[];
};

const caseId = idOf('case');

export const CREDIT_CASES: Noun = {
  command: 'credit case',
  summary: 'Documents that do not belong to one person.',
  definitions: [
    list(core, BY_ID, {
      name: 'credit-case.list',
      summary: 'Open cases, oldest first.',
      route: 'GET /credit/cases',
      permission: 'credit.read',
      input: {
        state: Type.Enum(['open', 'closed'], {
          default: 'open',
          description: 'in this state',
          shorthands: { closed: 'closed cases, with their findings' },
        }),
      },
      rows: 'cases',
      row: listed,
      empty: 'no case',
      read: async ({ core: { listCases }, input: { state }, deps: { pool } }, page) =>
        await listCases(pool, { open: state === 'open', ...page }),
      placeOf: (row) => row.caseId,
      show: (shown, { viewer }) =>
        shown.map(({ caseId: id, crns, resolution: finding, ...row }) => ({
          ...wireOf({ case: id, ...row }),
          customers: crns.map(endingOf),
          resolution: viewer.permissions.has('credit.reports') ? finding : null,
        })),
    }),
    view(core, {
      name: 'credit-case.show',
      summary: 'A case: the people whom a document led to, and what was proposed.',
      route: 'GET /credit/cases/:case',
      permission: 'credit.reports',
      isNoted: true,
      input: inputOf({ case: caseId }),
      output: detail,
      handle: async ({ core: loaded, input, deps, viewer }) => {
        const desk = await deps.credit();
        const found = await loaded.findCase(desk.pool, input.case);
        if (found === undefined) throw new Refusal('not_found', { text: 'No such case' });
        const { caseId: id, crns, ...row } = found;
        const proposals = await deps.proposals();
        const about = await proposals.list({
          ...{ open: false, kinds: loaded.CREDIT_KIND_NAMES, having: [{ caseId: id }] },
          limit: MAX_PROPOSALS,
        });
        return {
          ...wireOf({ case: id, ...row }),
          people: wireOf(await loaded.viewPeople(desk, crns)),
          proposals: about.map((each) => loaded.listedCredit(proposals, each, viewer)),
        };
      },
    }),
    proposingCredit(
      {
        name: 'credit-case.close',
        summary: 'Propose to close a case without a merge. The reason is the finding.',
        path: 'case',
        proposes: 'credit_case',
      },
      { case: idOf('case', { argument: true }) },
      async ({ core: { proposeClosing }, input, deps, grounds }) =>
        await proposeClosing(deps, input.case, grounds),
    ),
  ],
};

/** Maximum number of words of a statement (the law gives the subject about a hundred). */
const STATEMENT_WORDS = 100;

const listedDispute = Type.Object({
  ...titled({ dispute: text, opened_at: time }),
  /** The last digits of the customer’s reference. */
  customer: text({ title: 'Customer', text: (ending: string) => `…${ending}` }),
  lender: text({ title: 'Lender' }),
});
export type DisputeList = PageOf<'disputes', typeof listedDispute>;

const dispute = Type.Object({
  ...titled({ dispute: text, opened_at: time, crn: text, account: text, lender: text }),
  /** Null: no answer contains the account. */
  preview: orNull(disputePreview, { title: 'What its end changes' }),
});
export type DisputeDetail = Static<typeof dispute>;

export const CREDIT_DISPUTES: Noun = {
  command: 'credit dispute',
  summary: 'Disputes of subjects about accounts.',
  definitions: [
    list(core, BY_ID, {
      name: 'credit-dispute.list',
      summary: 'Open disputes, oldest first.',
      route: 'GET /credit/disputes',
      permission: 'credit.read',
      rows: 'disputes',
      row: listedDispute,
      empty: 'no open dispute',
      read: async ({ core: { listOpenDisputes }, deps: { pool } }, page) =>
        await listOpenDisputes(pool, page),
      placeOf: ({ disputeId }) => disputeId,
      show: (shown) =>
        shown.map(({ disputeId, openedAt, crn, lender }) =>
          wireOf({ dispute: disputeId, openedAt, customer: endingOf(crn), lender }),
        ),
    }),
    view(core, {
      name: 'credit-dispute.show',
      summary: 'An open dispute: the account, the person’s words, and what its end changes.',
      route: 'GET /credit/disputes/:dispute',
      permission: 'credit.reports',
      isNoted: true,
      input: inputOf({ dispute: idOf('dispute') }),
      output: dispute,
      handle: async ({ core: loaded, input, deps }) => {
        const desk = await deps.credit();
        const found = await loaded.findOpenDispute(desk.pool, input.dispute);
        if (found === undefined) throw new Refusal('not_found', { text: 'No such open dispute' });
        const { disputeId, accountId, ...row } = found;
        const preview = (await loaded.previewDispute(desk, found)) ?? null;
        return wireOf({ dispute: disputeId, account: accountId, ...row, preview });
      },
    }),
    action(core, {
      name: 'credit-dispute.open',
      summary:
        'Open a dispute. Until it is closed, no default of the account is counted or scored.',
      route: 'POST /credit/disputes',
      permission: 'credit.act',
      actsAlone: 'always',
      input: inputOf({
        ...ofAccount,
        account: Type.String({
          ...ofAccount.account,
          description: 'account as the subject report shows it',
        }),
        statement: text({
          pattern: String.raw`^\s*\S+(\s+\S+){0,${STATEMENT_WORDS - 1}}\s*$`,
          maxLength: 5_000,
          form: `1 to ${STATEMENT_WORDS} words`,
          description: `the subject’s words, at most ${STATEMENT_WORDS}`,
          placeholder: 'text',
        }),
      }),
      output: Type.Object({ dispute: text({ title: 'Dispute' }) }),
      handle: async ({ core: { disputeAccount }, input, deps }) => {
        const about = { crn: BigInt(input.crn), accountId: BigInt(input.account) };
        const id = await disputeAccount(await deps.credit(), about, input.statement);
        return { result: { dispute: id }, audit: { target: id, after: { dispute: id } } };
      },
    }),
    proposingCredit(
      {
        name: 'credit-dispute.close',
        summary: 'Propose how a dispute ended.',
        path: 'dispute',
        proposes: 'credit_dispute',
      },
      {
        dispute: idOf('dispute', { argument: true }),
        outcome: Type.Enum(['upheld', 'rejected', 'withdrawn'], { description: 'how it ended' }),
      },
      async ({ core: { proposeOutcome }, input: { dispute: id, outcome }, deps, grounds }) =>
        await proposeOutcome(deps, { dispute: id, outcome }, grounds),
    ),
  ],
};
