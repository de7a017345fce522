import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { Type } from 'typebox';
import type { Static } from 'typebox';
import { importFile } from '../../credit/importing/import.ts';
import { findImport, listImports, readFindings } from '../../credit/importing/imports-store.ts';
import type { FindingCursor, ListedImport } from '../../credit/importing/imports-store.ts';
import { TEMPLATES } from '../../credit/importing/template.ts';
import type { ReportOptions } from '../../credit/reports/subject-report.ts';
import { SECTORS } from '../../parties/vendor.ts';
import type { Clock, WireTime } from '../../platform/base/clock.ts';
import { csvLine } from '../../platform/base/csv.ts';
import { parseDay } from '../../platform/base/days.ts';
import { Refusal } from '../../platform/base/errors.ts';
import { LIMITS } from '../../platform/base/limits.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type {
  CreditImportAnswer,
  CreditImportsAnswer,
  ImportTrialAnswer,
  ListedCreditImport,
} from '../credit-answers.ts';
import { Audited, Download, route } from '../route.ts';
import type { AnyRoute } from '../route.ts';
import { proposalId as uuid, shortText } from './proposals.ts';
import { reason } from './reason.ts';
import { withFile } from './with-file.ts';

const PAGE = 50;
/** Findings of a trial that are shown. */
const TRIAL_FINDINGS = 50;
/** Findings of an export read at once. */
const EXPORT_PAGE = 5_000;

export interface CreditImportRoutesOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly wireTime: WireTime;
  /** Undefined when the credit registry is not configured. */
  readonly reports: Pick<ReportOptions, 'vault'> | undefined;
}

const params = Type.Object({ importId: uuid });

const file = {
  fileName: shortText,
  lender: Type.String({ pattern: '^[A-Za-z0-9_.-]{1,32}$' }),
  sector: Type.Enum([...SECTORS]),
  template: Type.Enum(Object.keys(TEMPLATES) as (keyof typeof TEMPLATES)[]),
  asOf: Type.String({ maxLength: 10 }),
  /** Replace what was submitted before for the same accounts and day. */
  corrects: Type.Boolean(),
  /** The text of the file. */
  content: Type.String({ minLength: 1 }),
};
const trialBody = Type.Object(file, { additionalProperties: false });
const importBody = Type.Object(
  {
    ...file,
    /** Of the content, as the trial said: nobody imports what was not tried. */
    sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    reason,
  },
  { additionalProperties: false },
);

/** Lenders' files: what was imported and what was wrong with it, and the import of another one. */
export function creditImportRoutes(options: CreditImportRoutesOptions): AnyRoute[] {
  const alone = oneAtATime();
  return [
    listRoute(options),
    oneRoute(options),
    exportRoute(options),
    trialRoute({ ...options, alone }),
    importRoute({ ...options, alone }),
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

function listRoute({ pool }: CreditImportRoutesOptions): AnyRoute {
  return route({
    method: 'GET',
    path: '/credit/imports',
    permission: 'credit.read',
    query: Type.Object(
      { lender: Type.Optional(Type.String({ maxLength: 32 })), cursor: Type.Optional(uuid) },
      { additionalProperties: false },
    ),
    handle: async ({ query: { lender, cursor } }): Promise<CreditImportsAnswer> => {
      const found = await listImports(pool, { lender, after: cursor, limit: PAGE + 1 });
      const shown = found.slice(0, PAGE);
      const more = found.length > PAGE;
      return { imports: shown.map(viewOf), next: more ? (shown.at(-1)?.importId ?? null) : null };
    },
  });
}

function oneRoute({ pool }: CreditImportRoutesOptions): AnyRoute {
  return route({
    method: 'GET',
    path: '/credit/imports/:importId',
    permission: 'credit.read',
    params,
    query: Type.Object(
      {
        /** Line, field and rule of the last finding of the page before. */
        cursor: Type.Optional(Type.String({ pattern: String.raw`^\d{1,9} \w{0,60} \w{1,60}$` })),
      },
      { additionalProperties: false },
    ),
    handle: async ({ params: { importId }, query }): Promise<CreditImportAnswer> => {
      const found = await requireImport(pool, importId);
      const after = query.cursor === undefined ? undefined : cursorOf(query.cursor);
      const findings = await readFindings(pool, importId, { after, limit: PAGE + 1 });
      const shown = findings.slice(0, PAGE);
      const { line, field, rule } = shown.at(-1) ?? { line: 0, field: '', rule: '' };
      const next = findings.length > PAGE ? `${line} ${field} ${rule}` : null;
      return { import: viewOf(found), findings: shown, next };
    },
  });
}

function cursorOf(text: string): FindingCursor {
  const [line = '', field = '', rule = ''] = text.split(' ');
  return { line: Number(line), field, rule };
}

function exportRoute({ pool }: CreditImportRoutesOptions): AnyRoute {
  return route({
    method: 'GET',
    path: '/credit/imports/:importId/findings.csv',
    permission: 'credit.read',
    params,
    handle: async ({ params: { importId } }) => {
      const { fileName } = await requireImport(pool, importId);
      const name = `${fileName.replaceAll(/[^\w.-]/g, '_')}.errors.csv`;
      const body = Readable.from(linesOf(pool, importId));
      return new Download({ name, type: 'text/csv; charset=utf-8', body });
    },
  });
}

async function* linesOf(pool: Pool, importId: string): AsyncGenerator<string> {
  yield csvLine(['line', 'field', 'rule', 'text']);
  let after: FindingCursor | undefined;
  do {
    const page = await readFindings(pool, importId, { after, limit: EXPORT_PAGE });
    yield page
      .map(({ line, field, rule, text }) => csvLine([String(line), field, rule, text]))
      .join('');
    after = page.length < EXPORT_PAGE ? undefined : page.at(-1);
  } while (after !== undefined);
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
      const { counts, findings } = await run(options, body, { by: viewer.login, dryRun: true });
      const answer: ImportTrialAnswer = {
        sha256: sha256(body.content),
        counts,
        findings: findings.slice(0, TRIAL_FINDINGS),
        findingCount: findings.length,
      };
      return new Audited(answer, { target: body.lender, after: summaryOf(body, counts) });
    },
  });
}

function importRoute(options: RunOptions): AnyRoute {
  return route({
    method: 'POST',
    path: '/credit/imports',
    permission: 'credit.act',
    action: 'credit.import',
    bodyBytes: LIMITS.consoleFileBytes,
    body: importBody,
    handle: async ({ body }, { viewer }) => {
      if (sha256(body.content) !== body.sha256) {
        throw new Refusal('invalid_field', {
          field: 'content',
          text: 'The file is not the one that was tried',
        });
      }
      const made = await run(options, body, { by: viewer.login, dryRun: false });
      const { importId, counts } = made;
      return new Audited({ importId }, { target: importId, after: summaryOf(body, counts) });
    },
  });
}

type FileBody = Static<typeof trialBody>;
type RunOptions = CreditImportRoutesOptions & { readonly alone: Alone };

async function run(
  { pool, clock, wireTime, reports, alone }: RunOptions,
  { content, fileName, lender, sector, template, asOf, corrects }: FileBody,
  how: { readonly by: string; readonly dryRun: boolean },
) {
  if (reports === undefined) throw new Refusal('scoring_unavailable');
  if (parseDay(asOf) === undefined) {
    throw new Refusal('invalid_field', { field: 'asOf', text: 'asOf is not a valid day' });
  }
  const { vault } = reports;
  const given = { fileName, lender, sector, template, asOf, corrects, ...how };
  return await alone(() =>
    withFile(content, (path) => importFile({ pool, clock, wireTime, vault, file: path, ...given })),
  );
}

/** For the audit log. */
function summaryOf({ fileName, lender, asOf, corrects }: FileBody, counts: object): object {
  return { fileName, lender, asOf, corrects, ...counts };
}

function sha256(content: string): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Throws: `not_found`. */
async function requireImport(pool: Pool, importId: string): Promise<ListedImport> {
  const found = await findImport(pool, importId);
  if (found !== undefined) return found;
  throw new Refusal('not_found', { text: 'No such import' });
}

function viewOf({ startedAt, finishedAt, ...row }: ListedImport): ListedCreditImport {
  return {
    ...row,
    startedAt: startedAt.toISOString(),
    finishedAt: finishedAt?.toISOString() ?? null,
  };
}
