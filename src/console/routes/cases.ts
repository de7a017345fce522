import { Type } from 'typebox';
import { listCaseEvents, listOpenProposals } from '../../payments/cases/case-proposals.ts';
import {
  CASE_KINDS,
  countOpenCases,
  findCase,
  listCases,
  listCasesAbout,
  referenceOf,
} from '../../payments/cases/cases-store.ts';
import type { CaseRow } from '../../payments/cases/cases-store.ts';
import { proposeResolution } from '../../payments/corrections/case-resolution.ts';
import { RESOLUTIONS, resolutionsOf } from '../../payments/corrections/resolutions.ts';
import { findPayment } from '../../payments/timeline/find.ts';
import { Refusal } from '../../platform/base/errors.ts';
import { parseMoney } from '../../platform/base/money.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { Proposals } from '../../proposals/proposals.ts';
import type { CaseDetail, CasesAnswer } from '../answers.ts';
import { route } from '../route.ts';
import type { AnyRoute } from '../route.ts';
import { eventsOf, factsOf, listedCase } from './case-answer.ts';
import { line, rowId, shortText } from './fields.ts';
import { listedPayment } from './listed-payment.ts';
import { actorOf, auditedOf } from './proposal-decisions.ts';
import { reason } from './reason.ts';

/** The maximum number of cases shown; then the filter has to be narrower. */
const MAX_LISTED = 200;

const params = Type.Object({ caseId: rowId });

export interface CaseRoutesOptions {
  readonly pool: Pool;
  readonly proposals: Proposals;
}

/** The worklist of cases, and how one of two people proposes to resolve one. */
export function caseRoutes(options: CaseRoutesOptions): AnyRoute[] {
  return [listRoute(options), detailRoute(options), proposeRoute(options)];
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
      const waiting = state === 'proposed' ? await listOpenProposals(pool) : undefined;
      const found = await listCases(pool, {
        resolved: state === 'resolved',
        caseIds: waiting && [...waiting.keys()],
        kind,
        vid,
        operatorCode: operator,
        limit: MAX_LISTED + 1,
      });
      const shown = found.slice(0, MAX_LISTED);
      const ids = shown.map(({ caseId }) => caseId);
      const open = waiting ?? (await listOpenProposals(pool, ids));
      return {
        cases: shown.map((row) => listedCase(row, open)),
        more: found.length > MAX_LISTED,
        open: await countOpenCases(pool),
      };
    },
  });
}

function detailRoute({ pool }: CaseRoutesOptions): AnyRoute {
  return route({
    method: 'GET',
    path: '/cases/:caseId',
    permission: 'cases.read',
    params,
    handle: async (input): Promise<CaseDetail> => {
      const row = await requireCase(pool, input.params.caseId);
      const reference = referenceOf(row);
      const found = reference === null ? undefined : await findPayment(pool, reference);
      const { vendorId, paymentId, caseId } = row;
      const about = paymentId === null ? [] : await listCasesAbout(pool, vendorId, paymentId);
      const ids = [caseId, ...about.map((other) => other.caseId)];
      const open = await listOpenProposals(pool, ids);
      const { proposalId: id, note, proposedAt } = open.get(caseId) ?? {};
      return {
        ...listedCase(row, open),
        facts: factsOf(row.facts),
        proposal:
          id === undefined || note === undefined || proposedAt === undefined
            ? null
            : { id, note, at: proposedAt.toISOString() },
        resolutions: resolutionsOf(row.kind).map((code) => ({ code, meaning: RESOLUTIONS[code] })),
        events: eventsOf(await listCaseEvents(pool, row)),
        payment: found === undefined ? null : listedPayment(found.payment),
        related: about
          .filter((other) => other.caseId !== caseId)
          .map((other) => listedCase(other, open)),
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

function proposeRoute({ pool, proposals }: CaseRoutesOptions): AnyRoute {
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
      const row = await proposeResolution(
        { pool, proposals },
        {
          caseId,
          by: actorOf(viewer),
          proposal: {
            resolution: body.resolution,
            note: body.reason,
            amount_cents: amount === undefined ? null : parseMoney(amount).toString(),
            operator_reference: body.operatorReference ?? null,
            message: body.message ?? null,
            details: Object.keys(details).length === 0 ? null : details,
          },
        },
      );
      return auditedOf(row);
    },
  });
}
