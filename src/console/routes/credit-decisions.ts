import { Type } from 'typebox';
import type { Static, TProperties } from 'typebox';
import { CREDIT_KIND_NAMES } from '../../credit/decisions/content.ts';
import { importOf } from '../../credit/decisions/imports.ts';
import { previewAccount, previewDispute, previewMerge } from '../../credit/decisions/preview.ts';
import {
  proposeCard,
  proposeClosing,
  proposeMerge,
  proposeOutcome,
  proposeRule,
  proposeRuleEnd,
  proposeSale,
  proposeSaleEnd,
  proposeUnmerge,
  proposeWithdrawal,
} from '../../credit/decisions/propose.ts';
import type { Deps, Grounds } from '../../credit/decisions/propose.ts';
import { PRODUCT_TYPES, RISK_CLASSES } from '../../credit/facts.ts';
import type { SoldDebt } from '../../credit/registry/sales-store.ts';
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
import type { ProposalRow } from '../../proposals/store.ts';
import type {
  CreditProposalAnswer,
  CreditProposalsAnswer,
  ProposalMade,
  SuppressionAnswer,
} from '../credit-answers.ts';
import { onWire } from '../on-wire.ts';
import { route } from '../route.ts';
import type { AnyRoute } from '../route.ts';
import {
  groundedOf,
  listedProposal,
  proposalView,
  requireCreditProposal,
} from './credit-proposal.ts';
import { rowId, shortText } from './fields.ts';
import { actorOf, auditedOf } from './proposal-decisions.ts';
import { stateQuery } from './proposals.ts';
import { reason } from './reason.ts';

/** More are not shown; `malipo proposal list` lists all. */
const MAX_LISTED = 200;

export interface CreditDecisionRoutesOptions extends Deps {
  readonly pool: Pool;
  /** Undefined when the credit registry is not configured. */
  readonly reports: ReportOptions | undefined;
}

const params = Type.Object({ proposalId: rowId });

/** What two people decide about people on file, suppression rules and scorecards. */
export function creditDecisionRoutes(options: CreditDecisionRoutesOptions): AnyRoute[] {
  return [listRoute(options), oneRoute(options), rulesRoute(options), ...proposingRoutes(options)];
}

function listRoute({ proposals }: CreditDecisionRoutesOptions): AnyRoute {
  return route({
    method: 'GET',
    path: '/credit/proposals',
    permission: 'credit.read',
    query: stateQuery,
    handle: async ({ query: { state } }, { viewer }): Promise<CreditProposalsAnswer> => {
      const kinds = CREDIT_KIND_NAMES;
      const rows = await proposals.list({ open: state === 'open', kinds, limit: MAX_LISTED });
      return { proposals: rows.map((row) => listedProposal(proposals, row, viewer)) };
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
      const { proposals } = options;
      const row = await requireCreditProposal(proposals, proposalId);
      const proposal = proposalView(proposals, row, viewer);
      const isOpen = row.decision === null && proposal.content !== null;
      const preview = isOpen ? await proposals.preview(proposalId) : null;
      const approval = preview && { seen: preview.seen, problem: preview.problem };
      return { proposal, approval, ...(await previewsOf(row, options)) };
    },
  });
}

const NOTHING = { merge: null, dispute: null, account: null, made: null } as const;

/** What is known of the people whom an open proposal is about, before and after; the import of a file. */
async function previewsOf(
  row: ProposalRow,
  { pool, proposals, reports }: CreditDecisionRoutesOptions,
): Promise<Omit<CreditProposalAnswer, 'proposal' | 'approval'>> {
  const what = groundedOf(proposals, row)?.what;
  if (what?.kind === 'import' && row.decision === 'approved') {
    const found = await importOf({ pool }, what);
    if (found === undefined) return NOTHING;
    const { importId, finishedAt } = found;
    return { ...NOTHING, made: { importId, isFinished: finishedAt !== null } };
  }
  if (what === undefined || row.decision !== null || reports === undefined) return NOTHING;
  switch (what.kind) {
    case 'merge':
    case 'unmerge': {
      const both = { from: BigInt(what.from), into: BigInt(what.into) };
      return { ...NOTHING, merge: (await previewMerge(reports, both)) ?? null };
    }
    case 'dispute': {
      const about = { crn: BigInt(what.crn), accountId: BigInt(what.account) };
      const preview = await previewDispute(reports, { ...about, disputeId: what.dispute });
      return { ...NOTHING, dispute: preview === undefined ? null : onWire(preview) };
    }
    case 'withdrawal':
    case 'sale': {
      const preview = await previewAccount(reports, what);
      return { ...NOTHING, account: preview === undefined ? null : onWire(preview) };
    }
    default:
      return NOTHING;
  }
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
    proposing(options, 'withdrawal', { crn, account: crn }, (deps, body, grounds) =>
      proposeWithdrawal(deps, { crn: BigInt(body.crn), accountId: BigInt(body.account) }, grounds),
    ),
    proposing(
      options,
      'sale',
      { crn, account: crn, into: crn, soldOn: Type.String({ maxLength: 10 }) },
      (deps, body, grounds) => proposeSale(deps, saleFrom(body), grounds),
    ),
    proposing(options, 'sale-end', { crn, account: crn }, (deps, body, grounds) =>
      proposeSaleEnd(deps, { crn: BigInt(body.crn), accountId: BigInt(body.account) }, grounds),
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
      const by = actorOf(viewer);
      const row = await make(deps, given, { by, reason: why, evidence, caseId });
      const answer: ProposalMade = { proposalId: row.proposalId };
      return auditedOf(row, answer);
    },
  });
}

/** Throws: `invalid_field`. */
function saleFrom(body: Readonly<Record<'crn' | 'account' | 'into' | 'soldOn', string>>): SoldDebt {
  const { soldOn } = body;
  if (parseDay(soldOn) === undefined) {
    throw new Refusal('invalid_field', { field: 'soldOn', text: 'soldOn is not a valid day' });
  }
  return { crn: BigInt(body.crn), from: BigInt(body.account), into: BigInt(body.into), soldOn };
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
