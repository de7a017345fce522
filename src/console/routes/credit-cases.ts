import { Type } from 'typebox';
import { previewDispute, viewPeople } from '../../credit/decisions/preview.ts';
import { CREDIT_KIND_NAMES } from '../../credit/decisions/content.ts';
import type { Proposals } from '../../proposals/proposals.ts';
import { findCase, listCases } from '../../credit/registry/cases-store.ts';
import { findOpenDispute, listOpenDisputes } from '../../credit/registry/disputes-store.ts';
import type { ReportOptions } from '../../credit/reports/subject-report.ts';
import { Refusal } from '../../platform/base/errors.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type {
  CreditCaseAnswer,
  CreditCasesAnswer,
  DisputeAnswer,
  DisputesAnswer,
} from '../credit-answers.ts';
import { onWire } from '../on-wire.ts';
import { isAllowed } from '../../parties/people/permissions.ts';
import { route } from '../route.ts';
import type { AnyRoute } from '../route.ts';
import { listedProposal } from './credit-proposal.ts';
import { rowId } from './fields.ts';
import { pageOf } from '../../staff/pages.ts';

const PAGE = 50;
/** Proposals about one case that are shown. */
const MAX_PROPOSALS = 20;
/** Digits of a customer's reference that a list shows. */
const SHOWN_DIGITS = 3;

export interface CreditCaseRoutesOptions {
  readonly pool: Pool;
  readonly proposals: Proposals;
  /** Undefined when the credit registry is not configured. */
  readonly reports: ReportOptions | undefined;
}

const caseParams = Type.Object({ caseId: rowId });
const cursor = Type.Optional(rowId);

/** What people have to decide about people on file. Each look at somebody is in the audit log. */
export function creditCaseRoutes(options: CreditCaseRoutesOptions): AnyRoute[] {
  return [casesRoute(options), caseRoute(options), disputesRoute(options), disputeRoute(options)];
}

function casesRoute({ pool }: CreditCaseRoutesOptions): AnyRoute {
  return route({
    method: 'GET',
    path: '/credit/cases',
    permission: 'credit.read',
    query: Type.Object(
      { state: Type.Optional(Type.Enum(['open', 'closed'])), cursor },
      { additionalProperties: false },
    ),
    handle: async ({ query }, { viewer }): Promise<CreditCasesAnswer> => {
      const open = query.state !== 'closed';
      const found = await listCases(pool, { open, after: query.cursor, limit: PAGE + 1 });
      const { shown, next } = pageOf(found, PAGE, ({ caseId }) => caseId);
      const mayRead = isAllowed(viewer.role, 'credit.reports');
      return {
        cases: shown.map(({ caseId, kind, crns, openedAt, closedAt, resolution }) => ({
          caseId,
          kind,
          customers: crns.map(endingOf),
          openedAt: openedAt.toISOString(),
          closedAt: closedAt?.toISOString() ?? null,
          resolution: mayRead ? resolution : null,
        })),
        next,
      };
    },
  });
}

function endingOf(crn: bigint): string {
  return String(crn).slice(-SHOWN_DIGITS);
}

function caseRoute({ pool, proposals, reports }: CreditCaseRoutesOptions): AnyRoute {
  return route({
    method: 'GET',
    path: '/credit/cases/:caseId',
    permission: 'credit.reports',
    look: 'credit.case',
    params: caseParams,
    handle: async ({ params: { caseId } }, { viewer }): Promise<CreditCaseAnswer> => {
      if (reports === undefined) throw new Refusal('scoring_unavailable');
      const found = await findCase(pool, caseId);
      if (found === undefined) throw new Refusal('not_found', { text: 'No such case' });
      const { kind, crns, openedAt, closedAt, resolution } = found;
      const about = await proposals.list({
        ...{ open: false, kinds: CREDIT_KIND_NAMES, having: [{ caseId }], limit: MAX_PROPOSALS },
      });
      return {
        caseId,
        kind,
        openedAt: openedAt.toISOString(),
        closedAt: closedAt?.toISOString() ?? null,
        resolution,
        people: await viewPeople(reports, crns),
        proposals: about.map((row) => listedProposal(proposals, row, viewer)),
      };
    },
  });
}

function disputesRoute({ pool }: CreditCaseRoutesOptions): AnyRoute {
  return route({
    method: 'GET',
    path: '/credit/disputes',
    permission: 'credit.read',
    query: Type.Object({ cursor }, { additionalProperties: false }),
    handle: async ({ query }): Promise<DisputesAnswer> => {
      const found = await listOpenDisputes(pool, { after: query.cursor, limit: PAGE + 1 });
      const { shown, next } = pageOf(found, PAGE, ({ disputeId }) => disputeId);
      return {
        disputes: shown.map(({ disputeId, crn, lender, openedAt }) => ({
          disputeId,
          customer: endingOf(crn),
          lender,
          openedAt: openedAt.toISOString(),
        })),
        next,
      };
    },
  });
}

function disputeRoute({ pool, reports }: CreditCaseRoutesOptions): AnyRoute {
  return route({
    method: 'GET',
    path: '/credit/disputes/:disputeId',
    permission: 'credit.reports',
    look: 'credit.dispute',
    params: Type.Object({ disputeId: rowId }),
    handle: async ({ params: { disputeId } }): Promise<DisputeAnswer> => {
      if (reports === undefined) throw new Refusal('scoring_unavailable');
      const found = await findOpenDispute(pool, disputeId);
      if (found === undefined) throw new Refusal('not_found', { text: 'No such open dispute' });
      const preview = await previewDispute(reports, found);
      return { disputeId, preview: preview === undefined ? null : onWire(preview) };
    },
  });
}
