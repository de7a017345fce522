import { Type } from 'typebox';
import type { Static } from 'typebox';
import { approveImport, proposeImport } from '../../credit/decisions/imports.ts';
import type { ImportDeps, ProposedFile } from '../../credit/decisions/imports.ts';
import { importFile } from '../../credit/importing/import.ts';
import { TEMPLATES } from '../../credit/importing/template.ts';
import { AMOUNT_UNITS } from '../../credit/registry/account.ts';
import type { ReportOptions } from '../../credit/reports/subject-report.ts';
import { SECTORS } from '../../parties/vendor.ts';
import type { Clock, WireTime } from '../../platform/base/clock.ts';
import { parseDay } from '../../platform/base/days.ts';
import { Refusal } from '../../platform/base/errors.ts';
import { LIMITS } from '../../platform/base/limits.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { Proposals } from '../../proposals/proposals.ts';
import type { ImportTrialAnswer, ProposalMade } from '../credit-answers.ts';
import { Audited, route } from '../route.ts';
import type { AnyRoute } from '../route.ts';
import { rowId, shortText } from './fields.ts';
import { wireOf } from '../../staff/wire.ts';
import { actorOf, auditedOf } from './proposal-decisions.ts';
import { reason } from './reason.ts';
import { withFile } from './with-file.ts';

/** Findings of a trial that are shown. */
const TRIAL_FINDINGS = 50;

export interface CreditImportRoutesOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly wireTime: WireTime;
  readonly proposals: Proposals;
  /** Undefined when the credit registry is not configured. */
  readonly reports: Pick<ReportOptions, 'vault'> | undefined;
}

const file = {
  fileName: shortText,
  lender: Type.String({ pattern: '^[A-Za-z0-9_.-]{1,32}$' }),
  sector: Type.Enum([...SECTORS]),
  template: Type.Enum(Object.keys(TEMPLATES) as (keyof typeof TEMPLATES)[]),
  asOf: Type.String({ maxLength: 10 }),
  /** Replace what was submitted before for the same accounts and day. */
  corrects: Type.Boolean(),
  /** Of the amounts. Only needed if no amount has a decimal point, and the lender's setting does not say it. */
  amounts: Type.Optional(Type.Enum([...AMOUNT_UNITS])),
  /** The text of the file. */
  content: Type.String({ minLength: 1 }),
};
const trialBody = Type.Object(file, { additionalProperties: false });
const proposalBody = Type.Object(
  { ...file, evidence: shortText, reason },
  { additionalProperties: false },
);
/** The file again: nothing of it is kept between the proposal and the approval. */
const approvalBody = Type.Object(
  {
    content: file.content,
    /** The digest of the preview that was seen. Not needed once the import is approved. */
    seen: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  },
  { additionalProperties: false },
);

/** Lenders' files: what was imported and what was wrong with it, and the import of another one by two people. */
export function creditImportRoutes(options: CreditImportRoutesOptions): AnyRoute[] {
  const alone = oneAtATime();
  return [
    trialRoute({ ...options, alone }),
    proposeRoute({ ...options, alone }),
    approveRoute({ ...options, alone }),
  ];
}

type Alone = <Result>(work: () => Promise<Result>) => Promise<Result>;

/**
 * Until the end of its file, a trial holds one of the console's few connections, and the registry,
 * for which the next file would wait with another. Throws: `too_many_requests`.
 */
function oneAtATime(): Alone {
  let isBusy = false;
  return async (work) => {
    if (isBusy) {
      const text = 'Another file is being tried or imported. Wait until it is done.';
      throw new Refusal('too_many_requests', { retryAfterSeconds: 5, text });
    }
    isBusy = true;
    try {
      return await work();
    } finally {
      isBusy = false;
    }
  };
}

function trialRoute(options: RunOptions): AnyRoute {
  return route({
    method: 'POST',
    path: '/credit/imports/trial',
    permission: 'credit.act',
    action: 'credit.import.trial',
    bodyBytes: LIMITS.consoleFileBytes,
    body: trialBody,
    handle: async ({ body }, { viewer }) => {
      const { counts, findings, amounts } = await withUpload(options, body, (deps, proposed) =>
        importFile({ ...deps, ...proposed, by: viewer.login, dryRun: true }),
      );
      const answer: ImportTrialAnswer = {
        counts: wireOf(counts),
        amounts,
        findings: findings.slice(0, TRIAL_FINDINGS),
        findingCount: findings.length,
      };
      return new Audited(answer, { target: body.lender, after: summaryOf(body, counts) });
    },
  });
}

/** Tries the file once more: what is proposed is what the service found, whatever was sent before. */
function proposeRoute(options: RunOptions): AnyRoute {
  return route({
    method: 'POST',
    path: '/credit/proposals/import',
    permission: 'credit.act',
    action: 'credit.import.propose',
    bodyBytes: LIMITS.consoleFileBytes,
    body: proposalBody,
    handle: async ({ body: { evidence, reason: why, ...given } }, { viewer }) => {
      const grounds = { by: actorOf(viewer), reason: why, evidence };
      const row = await withUpload(options, given, (deps, proposed) =>
        proposeImport(deps, proposed, grounds),
      );
      const answer: ProposalMade = { proposalId: row.proposalId };
      return auditedOf(row, answer);
    },
  });
}

function approveRoute(options: RunOptions): AnyRoute {
  return route({
    method: 'POST',
    path: '/credit/proposals/:proposalId/import',
    permission: 'credit.act',
    action: 'credit.import',
    bodyBytes: LIMITS.consoleFileBytes,
    params: Type.Object({ proposalId: rowId }),
    body: approvalBody,
    handle: async ({ params: { proposalId }, body: { content, seen } }, { viewer }) => {
      const deps = depsOf(options);
      const { importId, counts } = await options.alone(() =>
        withFile(content, (path) =>
          approveImport(deps, { proposalId, by: actorOf(viewer), seen }, path),
        ),
      );
      return new Audited({ importId }, { after: { importId, ...counts } });
    },
  });
}

type FileBody = Static<typeof trialBody>;
type RunOptions = CreditImportRoutesOptions & { readonly alone: Alone };

/** Throws: `scoring_unavailable`. */
function depsOf({ pool, clock, wireTime, proposals, reports }: RunOptions): ImportDeps {
  if (reports === undefined) throw new Refusal('scoring_unavailable');
  return { pool, clock, wireTime, proposals, vault: reports.vault };
}

async function withUpload<Result>(
  options: RunOptions,
  { content, ...about }: FileBody,
  work: (deps: ImportDeps, proposed: ProposedFile) => Promise<Result>,
): Promise<Result> {
  const deps = depsOf(options);
  if (parseDay(about.asOf) === undefined) {
    throw new Refusal('invalid_field', { field: 'asOf', text: 'asOf is not a valid day' });
  }
  return await options.alone(() =>
    withFile(content, (path) => work(deps, { ...about, file: path })),
  );
}

/** For the audit log. */
function summaryOf({ fileName, lender, asOf, corrects }: FileBody, counts: object): object {
  return { fileName, lender, asOf, corrects, ...counts };
}
