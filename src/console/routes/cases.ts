import { Type } from 'typebox';
import {
  CASE_KINDS,
  countOpenCases,
  findCase,
  listCaseEvents,
  listCases,
  listCasesAbout,
} from '../../payments/cases/cases-store.ts';
import type { CaseRow } from '../../payments/cases/cases-store.ts';
import {
  approveResolution,
  previewResolution,
  proposeResolution,
  referenceOf,
  rejectProposal,
} from '../../payments/corrections/cases.ts';
import { RESOLUTIONS, resolutionsOf } from '../../payments/corrections/resolutions.ts';
import { findPayment } from '../../payments/timeline/find.ts';
import { Refusal } from '../../platform/base/errors.ts';
import type { Mac } from '../../platform/base/mac.ts';
import { parseMoney } from '../../platform/base/money.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { CaseDetail, CasesAnswer } from '../answers.ts';
import { Audited, route } from '../route.ts';
import type { AnyRoute } from '../route.ts';
import { eventsOf, factsOf, listedCase, proposalOf } from './case-answer.ts';
import { line, rowId, shortText } from './fields.ts';
import { listedPayment } from './listed-payment.ts';
import { reason } from './reason.ts';

/** The maximum number of cases shown; then the filter has to be narrower. */
const MAX_LISTED = 200;

const params = Type.Object({ caseId: rowId });

export interface CaseRoutesOptions {
  readonly pool: Pool;
  readonly ledgerMac: Mac;
}

/** The worklist of cases, and their resolution by two people. */
export function caseRoutes(options: CaseRoutesOptions): AnyRoute[] {
  return [
    listRoute(options),
    detailRoute(options),
    proposeRoute(options),
    approveRoute(options),
    rejectRoute(options),
  ];
}

function listRoute({ pool }: CaseRoutesOptions): AnyRoute {
  return route({
    method: 'GET',
    path: '/cases',
    permission: 'cases.read',
    query: Type.Object(
      {
        state: Type.Optional(Type.Enum(['open', 'proposed', 'resolved'])),
        kind: Type.Optional(Type.Enum([...CASE_KINDS])),
        vid: Type.Optional(Type.String({ maxLength: 64 })),
        operator: Type.Optional(Type.String({ maxLength: 40 })),
      },
      { additionalProperties: false },
    ),
    handle: async ({ query: { state, kind, vid, operator } }): Promise<CasesAnswer> => {
      const found = await listCases(pool, {
        resolved: state === 'resolved',
        proposed: state === 'proposed' ? true : undefined,
        kind,
        vid,
        operatorCode: operator,
        limit: MAX_LISTED + 1,
      });
      return {
        cases: found.slice(0, MAX_LISTED).map(listedCase),
        more: found.length > MAX_LISTED,
        open: await countOpenCases(pool),
      };
    },
  });
}

function detailRoute({ pool, ledgerMac }: CaseRoutesOptions): AnyRoute {
  return route({
    method: 'GET',
    path: '/cases/:caseId',
    permission: 'cases.read',
    params,
    handle: async (input): Promise<CaseDetail> => {
      const row = await requireCase(pool, input.params.caseId);
      const reference = referenceOf(row);
      const found = reference === null ? undefined : await findPayment(pool, reference);
      const { vendorId, paymentId } = row;
      const about = paymentId === null ? [] : await listCasesAbout(pool, vendorId, paymentId);
      return {
        ...listedCase(row),
        facts: factsOf(row.facts),
        proposal: proposalOf(row, await previewResolution(pool, row, ledgerMac)),
        resolutions: resolutionsOf(row.kind).map((code) => ({ code, meaning: RESOLUTIONS[code] })),
        events: eventsOf(await listCaseEvents(pool, row)),
        payment: found === undefined ? null : listedPayment(found.payment),
        related: about.filter(({ caseId }) => caseId !== row.caseId).map(listedCase),
      };
    },
  });
}

/** Throws: `not_found`. */
async function requireCase(pool: Pool, caseId: string): Promise<CaseRow> {
  const row = await findCase(pool, caseId);
  if (row === undefined) throw new Refusal('not_found');
  return row;
}

function proposeRoute({ pool, ledgerMac }: CaseRoutesOptions): AnyRoute {
  return route({
    method: 'POST',
    path: '/cases/:caseId/propose',
    permission: 'cases.act',
    action: 'case.propose',
    params,
    body: Type.Object(
      {
        resolution: Type.Enum(Object.keys(RESOLUTIONS)),
        /** The evidence. */
        reason,
        amount: Type.Optional(Type.String({ maxLength: 16 })),
        operatorReference: Type.Optional(line(100)),
        message: Type.Optional(line(500)),
        details: Type.Optional(
          Type.Record(Type.String({ pattern: '^[a-z][a-z0-9_]{0,39}$' }), shortText, {
            additionalProperties: false,
          }),
        ),
      },
      { additionalProperties: false },
    ),
    handle: async ({ params: { caseId }, body }, { viewer }) => {
      await requireCase(pool, caseId);
      const { amount, details = {} } = body;
      const deps = { pool, ledgerMac };
      const { row, plan } = await proposeResolution(deps, {
        caseId,
        by: viewer.login,
        proposal: {
          resolution: body.resolution,
          note: body.reason,
          amount_cents: amount === undefined ? null : parseMoney(amount).toString(),
          operator_reference: body.operatorReference ?? null,
          message: body.message ?? null,
          details: Object.keys(details).length === 0 ? null : details,
        },
      });
      const { proposal, proposalId } = row;
      return new Audited(undefined, { after: { proposalId, proposal, plan: plan.kind } });
    },
  });
}

function approveRoute({ pool, ledgerMac }: CaseRoutesOptions): AnyRoute {
  return route({
    method: 'POST',
    path: '/cases/:caseId/approve',
    permission: 'cases.act',
    action: 'case.approve',
    params,
    body: Type.Object(
      {
        /** The proposal that the person has seen. */
        proposal: rowId,
      },
      { additionalProperties: false },
    ),
    handle: async ({ params: { caseId }, body }, { viewer }) => {
      const before = await requireCase(pool, caseId);
      const request = { caseId, proposalId: body.proposal, by: viewer.login };
      await approveResolution({ pool, ledgerMac }, request);
      return new Audited(undefined, {
        before: { proposedBy: before.proposedBy, proposal: before.proposal },
        after: { proposalId: body.proposal, resolution: before.proposal?.resolution },
      });
    },
  });
}

function rejectRoute({ pool }: CaseRoutesOptions): AnyRoute {
  return route({
    method: 'POST',
    path: '/cases/:caseId/reject',
    permission: 'cases.act',
    action: 'case.reject',
    params,
    body: Type.Object(
      {
        /** The proposal that the person has seen. A page of the release before does not name it. */
        proposal: Type.Optional(rowId),
        reason,
      },
      { additionalProperties: false },
    ),
    handle: async ({ params: { caseId }, body }, { viewer }) => {
      const { proposal: before } = await requireCase(pool, caseId);
      const { proposal: proposalId, reason: note } = body;
      await rejectProposal(pool, { caseId, proposalId, by: viewer.login, note });
      return new Audited(undefined, { before });
    },
  });
}
