import { Type } from 'typebox';
import type { BillerCatalogue } from '../../payments/billers/catalogue.ts';
import { listOpenProposals } from '../../payments/cases/case-proposals.ts';
import { listCasesOfStatement } from '../../payments/cases/cases-store.ts';
import { closeDay } from '../../payments/reconciliation/days.ts';
import type { Day } from '../../payments/reconciliation/days.ts';
import {
  countVerdicts,
  findStatementById,
  listContradictedPayments,
} from '../../payments/reconciliation/store.ts';
import { proposeOperatorStatement } from '../../payments/uploads/operator-statement.ts';
import { periodOfDay } from '../../platform/base/clock.ts';
import type { WireTime } from '../../platform/base/clock.ts';
import { Refusal } from '../../platform/base/errors.ts';
import { LIMITS } from '../../platform/base/limits.ts';
import type { Mac } from '../../platform/base/mac.ts';
import type { LongReads } from '../../platform/base/long-reads.ts';
import type { DayAnswer, ImportAnswer, StatementAnswer } from '../reconciliation-answers.ts';
import { Audited, longReaderOf, route } from '../route.ts';
import type { AnyRoute } from '../route.ts';
import { rowId } from './fields.ts';
import { actorOf, auditedOf } from './proposal-decisions.ts';
import type { ProposalRoutesOptions } from './proposal-decisions.ts';
import { readEnd, readStart, time } from './period.ts';
import { reason } from './reason.ts';
import { withFile } from './with-file.ts';
import { differenceOf, readDayAnswer, statementSummary } from './reconciliation-answer.ts';

/** How far an operator's clock may differ from ours. */
const TOLERANCE_MS = 300_000;
/** Problems of a refused file that are shown. */
const MAX_PROBLEMS = 50;

const operator = Type.String({ minLength: 1, maxLength: 40 });
const dayParams = Type.Object({ day: Type.String({ maxLength: 10 }) });

export interface ReconciliationRoutesOptions extends ProposalRoutesOptions {
  readonly ledgerMac: Mac;
  readonly wireTime: WireTime;
  readonly catalogue: Pick<BillerCatalogue, 'operators'>;
  readonly reads: LongReads;
}

/** Statements, their differences, and the end of the day. */
export function reconciliationRoutes(options: ReconciliationRoutesOptions): AnyRoute[] {
  return [dayRoute(options), statementRoute(options), importRoute(options), closeRoute(options)];
}

function dayRoute({ pool, wireTime, catalogue, reads }: ReconciliationRoutesOptions): AnyRoute {
  return route({
    method: 'GET',
    path: '/reconciliation/:day',
    permission: 'reconciliation.read',
    params: dayParams,
    handle: async ({ params }, context): Promise<DayAnswer> => {
      const day = readDay(params.day, wireTime);
      return await reads(longReaderOf(context), () =>
        readDayAnswer(pool, day, catalogue.operators()),
      );
    },
  });
}

/** Throws: `invalid_field`. */
function readDay(day: string, wireTime: WireTime): Day {
  const period = periodOfDay(day, wireTime);
  if (period !== undefined) return { day, ...period };
  throw new Refusal('invalid_field', { field: 'day', text: 'day is not a valid day' });
}

function statementRoute({ pool }: ReconciliationRoutesOptions): AnyRoute {
  return route({
    method: 'GET',
    path: '/statements/:statementId',
    permission: 'reconciliation.read',
    params: Type.Object({ statementId: rowId }),
    handle: async ({ params: { statementId } }): Promise<StatementAnswer> => {
      const found = await findStatementById(pool, statementId);
      if (found === undefined) throw new Refusal('not_found');
      const contradicted = await listContradictedPayments(pool, statementId);
      const cases = await listCasesOfStatement(pool, statementId, contradicted);
      const open = await listOpenProposals(
        pool,
        cases.map(({ caseId }) => caseId),
      );
      return {
        ...statementSummary(found, await countVerdicts(pool, statementId)),
        differences: cases.map((row) => differenceOf(row, open)),
      };
    },
  });
}

function importRoute(options: ReconciliationRoutesOptions): AnyRoute {
  const { pool, ledgerMac, wireTime, proposals } = options;
  return route({
    method: 'POST',
    path: '/statements',
    permission: 'reconciliation.act',
    action: 'statement.import',
    bodyBytes: LIMITS.consoleFileBytes,
    body: Type.Object(
      {
        operator,
        /** A day or a time; `to` as a day is included. */
        from: time,
        to: time,
        /** Every movement of the period is listed. */
        complete: Type.Boolean(),
        /** The text of the file. */
        content: Type.String(),
      },
      { additionalProperties: false },
    ),
    handle: async ({ body }, { viewer }) => {
      const from = readStart(body.from, 'from', wireTime);
      const to = readEnd(body.to, 'to', wireTime);
      if (from === undefined || to === undefined || from >= to) {
        throw new Refusal('invalid_field', { field: 'to', text: 'to must be after from' });
      }
      const { operator: code, complete } = body;
      const result = await withFile(body.content, (file) => {
        const period = { from, to, complete, toleranceMs: TOLERANCE_MS };
        const request = { file, operator: code, ...period, note: 'Uploaded in the console' };
        const deps = { pool, ledgerMac, proposals };
        return proposeOperatorStatement(deps, { ...request, by: actorOf(viewer) });
      });
      if (result.kind === 'refused') {
        const problems = result.problems.slice(0, MAX_PROBLEMS);
        const refused: ImportAnswer = {
          kind: 'refused',
          problems: problems.map(({ line, field, text }) => ({ line, text: `${field}: ${text}` })),
          count: result.problems.length,
        };
        return new Audited(refused, { after: { problems: refused.count } });
      }
      if (result.kind === 'proposed') {
        const { proposalId } = result.row;
        const proposed: ImportAnswer = { kind: 'proposed', proposalId };
        return auditedOf(result.row, proposed);
      }
      const { statementId } = result;
      const repeated: ImportAnswer = { kind: 'repeated', statementId };
      return new Audited(repeated, { target: statementId, after: repeated });
    },
  });
}

function closeRoute({ pool, wireTime }: ReconciliationRoutesOptions): AnyRoute {
  return route({
    method: 'POST',
    path: '/reconciliation/:day/close',
    permission: 'reconciliation.act',
    action: 'day.close',
    params: dayParams,
    body: Type.Object(
      {
        reason,
        /** Operators whose statement will not come. */
        withoutStatement: Type.Optional(Type.Array(operator, { maxItems: 100 })),
        despiteOpenCases: Type.Optional(Type.Boolean()),
      },
      { additionalProperties: false },
    ),
    handle: async ({ params, body }, { viewer }) => {
      const day = readDay(params.day, wireTime);
      const { closed } = await closeDay(pool, {
        ...day,
        by: viewer.login,
        withoutStatement: body.withoutStatement ?? [],
        despiteOpenCases: body.despiteOpenCases === true,
        note: body.reason,
      });
      return new Audited(undefined, { after: { exceptions: closed?.exceptions } });
    },
  });
}
