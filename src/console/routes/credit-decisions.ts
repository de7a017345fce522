import { Type } from 'typebox';
import type { Static, TProperties } from 'typebox';
import { approveProposal, rejectProposal } from '../../credit/decisions/decide.ts';
import { importOf } from '../../credit/decisions/imports.ts';
import { previewDispute, previewMerge } from '../../credit/decisions/preview.ts';
import {
  proposeCard,
  proposeClosing,
  proposeMerge,
  proposeOutcome,
  proposeRule,
  proposeRuleEnd,
  proposeUnmerge,
} from '../../credit/decisions/propose.ts';
import type { Deps, Grounds } from '../../credit/decisions/propose.ts';
import { findProposal, listProposals } from '../../credit/decisions/proposals-store.ts';
import type { ProposalRow } from '../../credit/decisions/proposals-store.ts';
import { PRODUCT_TYPES, RISK_CLASSES } from '../../credit/facts.ts';
import type { SuppressionRule } from '../../credit/registry/suppression.ts';
import {
  listSuppressionChanges,
  readSuppressionRules,
} from '../../credit/registry/suppression-store.ts';
import type { ReportOptions } from '../../credit/reports/subject-report.ts';
import { SCORE_KINDS } from '../../credit/scorecards/scorecard.ts';
import { SECTORS } from '../../parties/vendor.ts';
import { parseDay } from '../../platform/base/days.ts';
import { Refusal } from '../../platform/base/errors.ts';
import { parseMoney } from '../../platform/base/money.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type {
  CreditProposalAnswer,
  CreditProposalsAnswer,
  ProposalMade,
  SuppressionAnswer,
} from '../credit-answers.ts';
import { onWire } from '../on-wire.ts';
import { Audited, route } from '../route.ts';
import type { AnyRoute } from '../route.ts';
import { contentInLog, listedProposal, proposalView } from './credit-proposal.ts';
import { rowId, shortText } from './fields.ts';
import { decisionRoutes, stateQuery } from './proposals.ts';
import { reason } from './reason.ts';

/** More are not shown; `malipo credit proposal list` lists all. */
const MAX_LISTED = 200;

export interface CreditDecisionRoutesOptions extends Deps {
  readonly pool: Pool;
  /** Undefined when the credit registry is not configured. */
  readonly reports: ReportOptions | undefined;
}

const params = Type.Object({ proposalId: rowId });

/** What two people decide about people on file, suppression rules and scorecards. */
export function creditDecisionRoutes(options: CreditDecisionRoutesOptions): AnyRoute[] {
  return [
    listRoute(options),
    oneRoute(options),
    rulesRoute(options),
    ...proposingRoutes(options),
    ...decisionRoutes({
      ...{ path: '/credit/proposals', permission: 'credit.act', noun: 'credit.proposal' },
      approve: async (proposalId, by) => {
        const { content, proposedBy } = await approveProposal(options, { proposalId, by });
        return { ...contentInLog(content), proposedBy };
      },
      reject: async (proposalId, by) => await rejectProposal(options, { proposalId, by }),
    }),
  ];
}

function listRoute({ pool }: CreditDecisionRoutesOptions): AnyRoute {
  return route({
    method: 'GET',
    path: '/credit/proposals',
    permission: 'credit.read',
    query: stateQuery,
    handle: async ({ query: { state } }, { viewer }): Promise<CreditProposalsAnswer> => {
      const rows = await listProposals(pool, { open: state === 'open', limit: MAX_LISTED });
      return { proposals: rows.map((row) => listedProposal(row, viewer)) };
    },
  });
}

function oneRoute(options: CreditDecisionRoutesOptions): AnyRoute {
  return route({
    method: 'GET',
    path: '/credit/proposals/:proposalId',
    permission: 'credit.reports',
    look: 'credit.proposal',
    params,
    handle: async ({ params: { proposalId } }, { viewer }): Promise<CreditProposalAnswer> => {
      const row = await findProposal(options.pool, proposalId);
      if (row === undefined) throw new Refusal('not_found', { text: 'No such proposal' });
      return { proposal: proposalView(row, viewer.login), ...(await previewsOf(row, options)) };
    },
  });
}

const NOTHING = { merge: null, dispute: null, made: null } as const;

/** What is known of the people whom an open proposal is about, before and after; the import of a file. */
async function previewsOf(
  { content, decision }: ProposalRow,
  { pool, reports }: CreditDecisionRoutesOptions,
): Promise<Omit<CreditProposalAnswer, 'proposal'>> {
  if (content.kind === 'import' && decision === 'approved') {
    const found = await importOf({ pool }, content);
    if (found === undefined) return NOTHING;
    const { importId, finishedAt } = found;
    return { ...NOTHING, made: { importId, isFinished: finishedAt !== null } };
  }
  if (decision !== null || reports === undefined) return NOTHING;
  if (content.kind === 'merge' || content.kind === 'unmerge') {
    const { from, into } = content;
    const merge = await previewMerge(reports, { from: BigInt(from), into: BigInt(into) });
    return { ...NOTHING, merge: merge ?? null };
  }
  if (content.kind !== 'dispute') return NOTHING;
  const preview = await previewDispute(reports, {
    crn: BigInt(content.crn),
    accountId: BigInt(content.account),
    disputeId: content.dispute,
  });
  return { ...NOTHING, dispute: preview === undefined ? null : onWire(preview) };
}

/** Changes of rules that are shown. */
const MAX_CHANGES = 100;

function rulesRoute({ pool }: CreditDecisionRoutesOptions): AnyRoute {
  return route({
    method: 'GET',
    path: '/credit/rules',
    permission: 'credit.read',
    handle: async (): Promise<SuppressionAnswer> => {
      const changes = await listSuppressionChanges(pool, MAX_CHANGES);
      return {
        rules: (await readSuppressionRules(pool)).map((rule) => onWire(rule)),
        changes: changes.map(({ rule, changedAt, reason: why, became }) => ({
          rule,
          changedAt: changedAt.toISOString(),
          reason: why,
          isRemoved: became === null,
        })),
      };
    },
  });
}

const crn = Type.String({ pattern: String.raw`^\d{1,18}$` });
const day = Type.Union([Type.String({ maxLength: 10 }), Type.Null()]);
const amount = Type.Union([Type.String({ maxLength: 16 }), Type.Null()]);
const ruleName = Type.String({ pattern: '^[a-z0-9_]{1,60}$' });

const RULE = {
  rule: ruleName,
  /** Decimal text in KES. */
  balanceUpTo: amount,
  originalUpTo: amount,
  products: Type.Union([Type.Array(Type.Enum([...PRODUCT_TYPES])), Type.Null()]),
  sectors: Type.Union([Type.Array(Type.Enum([...SECTORS])), Type.Null()]),
  riskClasses: Type.Union([Type.Array(Type.Enum([...RISK_CLASSES])), Type.Null()]),
  statesFrom: day,
  statesUntil: day,
};
const ruleBody = Type.Object(RULE);

function proposingRoutes(options: CreditDecisionRoutesOptions): AnyRoute[] {
  return [
    proposing(options, 'merge', { from: crn, into: crn }, (deps, { from, into }, grounds) =>
      proposeMerge(deps, { from: BigInt(from), into: BigInt(into) }, grounds),
    ),
    proposing(options, 'unmerge', { from: crn }, (deps, { from }, grounds) =>
      proposeUnmerge(deps, BigInt(from), grounds),
    ),
    proposing(
      options,
      'dispute',
      { dispute: rowId, outcome: Type.Enum(['upheld', 'rejected', 'withdrawn']) },
      (deps, { dispute, outcome }, grounds) => proposeOutcome(deps, { dispute, outcome }, grounds),
    ),
    proposing(options, 'case', { case: rowId }, (deps, body, grounds) =>
      proposeClosing(deps, body.case, grounds),
    ),
    proposing(options, 'rule', RULE, (deps, body, grounds) =>
      proposeRule(deps, { ...ruleFrom(body), reason: grounds.reason.trim() }, grounds),
    ),
    proposing(options, 'rule-end', { rule: ruleName }, (deps, { rule }, grounds) =>
      proposeRuleEnd(deps, rule, grounds),
    ),
    proposing(
      options,
      'scorecard',
      {
        score: Type.Enum([...SCORE_KINDS]),
        role: Type.Enum(['champion', 'challenger']),
        /** Null: the newest shipped card answers; no challenger. */
        card: Type.Union([Type.String({ maxLength: 60 }), Type.Null()]),
      },
      (deps, { score, role, card }, grounds) => proposeCard(deps, { score, role, card }, grounds),
    ),
  ];
}

/** One route that proposes something, with its reason and evidence. */
function proposing<Fields extends TProperties>(
  deps: CreditDecisionRoutesOptions,
  name: string,
  fields: Fields,
  make: (
    deps: Deps,
    body: Static<ReturnType<typeof Type.Object<Fields>>>,
    grounds: Grounds,
  ) => Promise<ProposalRow>,
): AnyRoute {
  const grounds = { evidence: shortText, reason, caseId: Type.Optional(rowId) };
  return route({
    method: 'POST',
    path: `/credit/proposals/${name}`,
    permission: 'credit.act',
    action: `credit.${name}.propose`,
    body: Type.Object({ ...fields, ...grounds }, { additionalProperties: false }),
    handle: async ({ body }, { viewer }) => {
      const given = body as Static<ReturnType<typeof Type.Object<Fields>>> & Grounds;
      const { evidence, reason: why, caseId } = given;
      const row = await make(deps, given, { by: viewer.login, reason: why, evidence, caseId });
      const answer: ProposalMade = { proposalId: row.proposalId };
      return new Audited(answer, { target: row.proposalId, after: contentInLog(row.content) });
    },
  });
}

/** Throws: `invalid_field`. */
function ruleFrom(body: Static<typeof ruleBody>): Omit<SuppressionRule, 'reason'> {
  const { rule, products, sectors, riskClasses } = body;
  const cents = (name: 'balanceUpTo' | 'originalUpTo'): bigint | null => {
    const text = body[name];
    return text === null ? null : parseMoney(text, name);
  };
  const dayOf = (name: 'statesFrom' | 'statesUntil'): Date | null => {
    const text = body[name];
    if (text === null) return null;
    if (parseDay(text) !== undefined) return new Date(`${text}T00:00:00Z`);
    throw new Refusal('invalid_field', { field: name, text: `${name} is not a valid day` });
  };
  return {
    ...{ rule, products, sectors, riskClasses },
    balanceUpToCents: cents('balanceUpTo'),
    originalUpToCents: cents('originalUpTo'),
    statesFrom: dayOf('statesFrom'),
    statesUntil: dayOf('statesUntil'),
  };
}
