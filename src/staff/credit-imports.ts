import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { ListedImport } from '../credit/importing/read-imports.ts';
import { TEMPLATES } from '../credit/importing/template.ts';
import type { TemplateName } from '../credit/importing/template.ts';
import { AMOUNT_UNITS } from '../credit/registry/account.ts';
import { Refusal } from '../platform/base/errors.ts';
import { LIMITS } from '../platform/base/limits.ts';
import { SECTORS } from '../parties/vendor.ts';
import { grounds, lender } from './credit-fields.ts';
import { action, view } from './definition.ts';
import type { Noun } from './definition.ts';
import { requireFile } from './deps.ts';
import * as fields from './fields.ts';
import { day, idOf, inputOf, text, textOrNull, time, timeOrNull, titled } from './fields.ts';
import { BY_ID, byPlace, list } from './lists.ts';
import type { PageOf } from './lists.ts';
import { proposing } from './proposing.ts';
import { readDay } from '../platform/base/times.ts';
import { wireOf } from './wire.ts';

const core = async () => ({
  ...(await import('../credit/decisions/imports.ts')),
  ...(await import('../credit/importing/import.ts')),
  ...(await import('../credit/importing/read-imports.ts')),
  ...(await import('../credit/importing/one-at-a-time.ts')),
  ...(await import('./credit-import-core.ts')),
});

const count = (title?: string) => Type.Integer(title === undefined ? {} : { title, unit: 'count' });

/** What an import changed, or would change. */
const counts = Type.Object({
  records: count('Records'),
  states_added: count('Added'),
  /** Nothing of them is imported. */
  rejected: count('Rejected'),
  accounts_added: count(),
  corrected: count(),
  unchanged: count(),
});
export type ImportFigures = Static<typeof counts>;

const listed = Type.Object({
  import: text({ title: 'Import' }),
  file: text({ title: 'File', wide: true }),
  ...titled({ lender: text, as_of: text, started_at: time }),
  ended_at: timeOrNull({ title: 'Ended', nullText: 'not finished' }),
  by: text({ title: 'By' }),
  ...counts.properties,
  template: Type.Enum(Object.keys(TEMPLATES) as TemplateName[]),
  amounts: Type.Enum([...AMOUNT_UNITS]),
  /** It replaces what was submitted before. */
  corrects: Type.Boolean(),
});
export type ListedCreditImport = Static<typeof listed>;

export type CreditImportList = PageOf<'imports', typeof listed>;

/** It never repeats what the line says. */
export const finding = Type.Object({
  line: Type.Integer({ title: 'Line' }),
  /** Empty: the whole line. */
  ...titled({ field: text, rule: text, text: text }),
  /** True: the line was imported nevertheless. */
  imported: Type.Optional(Type.Boolean()),
});
export type ImportFinding = Static<typeof finding>;

export type ImportFindings = PageOf<'findings', typeof finding>;

const viewOf = ({
  importId,
  fileName,
  finishedAt: endedAt,
  counts: figures,
  ...row
}: ListedImport): ListedCreditImport =>
  wireOf({ import: importId, file: fileName, endedAt, ...row, ...figures });

/** A place among the findings: line, field and rule. */
const BY_LINE = byPlace(/^(\d{1,9}) (\w{0,60}) (\w{1,60})$/, ([line, field = '', rule = '']) => ({
  ...{ line: Number(line), field, rule },
}));

/** Findings of a trial that are shown. */
const TRIAL_FINDINGS = 50;

const tried = Type.Object({
  ...counts.properties,
  /** The unit that they were read in. */
  amounts: Type.Enum([...AMOUNT_UNITS], { title: 'Amounts in' }),
  /** How the file is written: its delimiter and encoding, or its sheet. */
  form: text({ title: 'Read as' }),
  /** The first ones. */
  findings: Type.Array(finding, { title: 'Findings' }),
  finding_count: Type.Integer({ title: 'Findings' }),
});
export type TriedImport = Static<typeof tried>;

const imported = Type.Object({ import: text({ title: 'Import' }), ...counts.properties });
export type MadeImport = Static<typeof imported>;

export const lenderFile = {
  name: 'file',
  description: 'the lender’s file: CSV, or Excel (XLSX)',
  maxBytes: LIMITS.consoleFileBytes,
};

/** How a lender’s file is read. */
export const readHow = {
  template: Type.Enum(Object.keys(TEMPLATES) as TemplateName[], {
    description: 'columns of the file',
  }),
  sector: Type.Enum([...SECTORS], { description: 'the lender’s sector' }),
  as_of: day({ description: 'as-of date of the data' }),
  amounts: Type.Optional(
    Type.Enum([...AMOUNT_UNITS], {
      description:
        'unit of the amounts; required if none has a decimal point and the lender’s setting does not say it',
      placeholder: 'unit',
    }),
  ),
};
const how = {
  ...readHow,
  lender: lender({ description: 'who submits it' }),
  corrects: Type.Boolean({
    default: false,
    description: 'replace what was submitted before for the same accounts and day',
    option: 'correct',
  }),
};

const importId = idOf('import');
const noImport = (): Refusal => new Refusal('not_found', { text: 'No such import' });

const TRY = action(core, {
  name: 'credit-import.try',
  summary: 'Show what the import of a file would change, and change nothing.',
  route: 'POST /credit/imports/trial',
  permission: 'credit.act',
  actsAlone: 'always',
  file: lenderFile,
  input: inputOf(how),
  output: tried,
  failed: ({ rejected }) => rejected > 0,
  handle: async ({ core: loaded, input, deps, viewer }) => {
    const by = viewer.login;
    const result = await loaded.withSentFile(input, deps, async (tools, proposed) =>
      loaded.importFile({ ...tools, ...proposed, by, dryRun: true }),
    );
    const figures = wireOf(result.counts);
    const { lender: code, as_of, corrects } = input;
    const after = { file: requireFile(deps).name, lender: code, as_of, corrects, ...figures };
    return {
      result: {
        ...{ ...figures, amounts: result.amounts, form: result.form },
        findings: result.findings.slice(0, TRIAL_FINDINGS).map((each) => ({ ...each })),
        finding_count: result.findingCount,
      },
      audit: { target: code, after },
    };
  },
});

const importedHere = Type.Object({
  import: text({ title: 'Import' }),
  ...tried.properties,
  ...titled({ accounts_added: fields.count, corrected: fields.count, unchanged: fields.count }),
  resumed_after: fields.count({ title: 'Continued after record' }),
  report: textOrNull({ title: 'All findings are in', isOptional: true }),
});

export const IMPORT_ALONE = action(core, {
  name: 'credit.import',
  summary:
    'Import a lender’s file of any size. No second person has to approve it. Lines with errors go into a report next to the file, and the others are imported. Fails when a line has an error. A repeat changes nothing, and an interrupted import continues where it stopped.',
  onMachine: true,
  permission: 'credit.act',
  actsAlone: true,
  isJob: true,
  file: lenderFile,
  trial: () => TRY,
  input: inputOf(how),
  output: importedHere,
  failed: ({ rejected }) => rejected > 0,
  handle: async ({ core: { importFile }, input, deps, viewer: { login: by } }) => {
    const { as_of: asOf, ...rest } = input;
    const { pool, vault, clock } = await deps.credit();
    const { path, name: fileName } = requireFile(deps);
    const result = await importFile({
      ...{ ...rest, pool, vault, clock, wireTime: deps.wireTime, file: path, fileName, by },
      asOf: readDay(asOf, 'as_of'),
      onProgress: ({ records }) => deps.progress?.({ done: records, of: null, what: 'records' }),
    });
    const figures = wireOf(result.counts);
    const { amounts, form, resumedAfter: resumed_after, reportFile: report } = result;
    const made = { import: result.importId, ...figures };
    return {
      result: {
        ...{ ...made, amounts, form, resumed_after, report },
        findings: result.findings.slice(0, TRIAL_FINDINGS).map((each) => ({ ...each })),
        finding_count: result.findingCount,
      },
      audit: { target: input.lender, after: { file: fileName, ...made } },
    };
  },
});

export const CREDIT_IMPORTS: Noun = {
  command: 'credit imports',
  summary: 'Lenders’ files: what was imported, and what was wrong with it.',
  definitions: [
    list(core, BY_ID, {
      name: 'credit-import.list',
      summary: 'Imports, newest first.',
      route: 'GET /credit/imports',
      permission: 'credit.read',
      isUsual: true,
      input: { lender: Type.Optional(lender({ description: 'only of this lender' })) },
      rows: 'imports',
      row: listed,
      empty: 'no imports',
      read: async ({ core: { listImports }, input, deps: { pool } }, page) =>
        await listImports(pool, { ...input, ...page }),
      placeOf: (row) => row.importId,
      show: (shown) => shown.map(viewOf),
    }),
    view(core, {
      name: 'credit-import.show',
      summary: 'An import, and how much of the file was accepted.',
      route: 'GET /credit/imports/:import',
      permission: 'credit.read',
      input: inputOf({ import: importId }),
      output: listed,
      handle: async ({ core: { findImport }, input, deps: { pool } }) => {
        const found = await findImport(pool, input.import);
        if (found === undefined) throw noImport();
        return viewOf(found);
      },
    }),
    TRY,
    proposing(core, {
      name: 'credit-import.propose',
      summary:
        'Try a file, and propose to import exactly this file. Another person approves it with the same file.',
      route: 'POST /credit/proposals/import',
      permission: 'credit.act',
      proposes: 'credit_import',
      file: lenderFile,
      input: inputOf({ ...how, ...grounds }),
      // Tried once more: what is proposed is what the service found, whatever was sent before.
      make: async ({ core: loaded, input, deps, viewer: { actor: by } }) => {
        const { reason, evidence } = input;
        return await loaded.withSentFile(input, deps, async (tools, proposed) =>
          loaded.proposeImport(tools, proposed, { by, reason, evidence }),
        );
      },
    }),
    action(core, {
      name: 'credit-import.approve',
      summary:
        'Approve another person’s proposal with the file, which is not kept in between, and import it. With the same file again, an interrupted import continues.',
      route: 'POST /credit/proposals/:proposal/import',
      permission: 'credit.act',
      decides: true,
      file: lenderFile,
      input: inputOf({
        proposal: idOf('proposal'),
        seen: Type.Optional(
          text({
            ...{ minLength: 1, maxLength: 64, placeholder: 'code' },
            description:
              'the `seen` of the proposal when you looked at it; not once it is approved',
          }),
        ),
      }),
      output: imported,
      handle: async ({ core: loaded, input, deps, viewer }) => {
        const asked = { proposalId: input.proposal, by: viewer.actor, seen: input.seen };
        const { path } = requireFile(deps);
        const { importId: id, counts: made } = await loaded.oneAtATime(
          async () => await loaded.approveImport(await loaded.importTools(deps), asked, path),
        );
        const result = { import: id, ...wireOf(made) };
        return { result, audit: { after: result } };
      },
    }),
    list(core, BY_LINE, {
      name: 'credit-import.findings',
      summary: 'The findings of an import: which lines are wrong, and why.',
      route: 'GET /credit/imports/:import/findings',
      permission: 'credit.read',
      input: { import: importId },
      rows: 'findings',
      row: finding,
      empty: 'no findings',
      read: async ({ core: loaded, input, deps: { pool } }, page) => {
        if ((await loaded.findImport(pool, input.import)) === undefined) throw noImport();
        return await loaded.readFindings(pool, input.import, page);
      },
      placeOf: ({ line, field, rule }) => [line, field, rule],
      show: (shown) => shown,
    }),
  ],
};
