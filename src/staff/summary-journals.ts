import { Type } from 'typebox';
import { OWN_CLASSES } from '../payments/house/account.ts';
import { SUMMARY_DIMENSIONS } from '../payments/summaries/dimensions.ts';
import type { SummaryDimension } from '../payments/summaries/dimensions.ts';
import { SUMMARY_FORMATS } from '../payments/summaries/formats.ts';
import type { ListedSummary, NamedLine } from '../payments/summaries/read-summaries.ts';
import { Refusal } from '../platform/base/errors.ts';
import { readMoment } from '../platform/base/times.ts';
import { action, download, view } from './definition.ts';
import type { Noun } from './definition.ts';
import type { StaffDeps } from './deps.ts';
import * as fields from './fields.ts';
import { inputOf, line, money, NOTHING, orNull, shortText, text, textOrNull } from './fields.ts';
import { byPlace, list } from './lists.ts';
import type { PageOf } from './lists.ts';
import { setting } from './proposing.ts';
import { fit, wireOf } from './wire.ts';

const core = async () => ({
  ...(await import('../payments/summaries/summary.ts')),
  ...(await import('../payments/summaries/read-summaries.ts')),
  ...(await import('../payments/summaries/layouts.ts')),
  ...(await import('../payments/summaries/mark-exported.ts')),
  ...(await import('../payments/settings/accounting.ts')),
  ...(await import('../payments/settings/fields.ts')),
});
type Core = Awaited<ReturnType<typeof core>>;

const STATES = ['waiting', 'exported'] as const;

const summaryRow = Type.Object({
  number: text({ title: 'Number' }),
  from: fields.time({ title: 'Posted from' }),
  to: fields.time({ title: 'Until', description: 'not included' }),
  made_at: fields.time({ title: 'Made', wide: true }),
  lines: fields.count({ title: 'Lines' }),
  amount: money({ title: 'Debits', description: 'also the credits' }),
  /** waiting: nobody has said that it is in the accounting software. */
  state: Type.Enum([...STATES], { title: 'State' }),
  exported_at: fields.timeOrNull({ title: 'Exported' }),
  exported_by: textOrNull({ title: 'By' }),
  reference: textOrNull({ title: 'Reference', description: 'in the accounting software' }),
});
export type SummaryList = PageOf<'journals', typeof summaryRow>;

const entryView = Type.Object({
  day: text({ title: 'Date' }),
  account: text({ title: 'Account' }),
  class: Type.Enum([...OWN_CLASSES, 'clearing'], { title: 'Class' }),
  code: textOrNull({ title: 'Code' }),
  vid: textOrNull({ title: 'Vendor', isOptional: true }),
  biller: textOrNull({ title: 'Biller', isOptional: true }),
  operator: textOrNull({ title: 'Operator', isOptional: true }),
  debit: money({ title: 'Debit' }),
  credit: money({ title: 'Credit' }),
  is_late: Type.Boolean({ title: 'Prior period', description: 'the money moved before' }),
});

const whole = Type.Object({
  ...summaryRow.properties,
  entries: Type.Array(entryView),
  total: Type.Object({ debit: money(), credit: money() }),
});

const number = Type.String({
  pattern: String.raw`^SJ-\d{6,9}$`,
  form: 'the number of a summary journal, such as SJ-000042',
  description: 'its number',
});

const settings = Type.Object({
  /** Null: no summary journals are made. */
  terms: orNull(
    Type.Object({
      per: Type.Enum(['day', 'month'], { title: 'One journal for each' }),
      dimensions: Type.Array(Type.Enum([...SUMMARY_DIMENSIONS]), { title: 'Summed by' }),
      tax_code: textOrNull({ title: 'Tax code' }),
      company: textOrNull({ title: 'Company there' }),
      starts_at: fields.time({ title: 'Postings since' }),
    }),
    { title: 'Terms' },
  ),
  accounts: Type.Array(
    Type.Object({
      account: text({ title: 'Account' }),
      class: text({ title: 'Class' }),
      code: textOrNull({ title: 'Code', nullText: 'NONE' }),
    }),
    { title: 'Accounts of the books' },
  ),
  codes: Type.Array(
    Type.Object({ account: text({ title: 'Account' }), code: text({ title: 'Code' }) }),
    { title: 'Codes that were set' },
  ),
});

/** No part of a code may be read as something else by any layout. */
const CODE = String.raw`[^\p{C}\s;=]+( [^\p{C}\s;=]+)*`;
const ACCOUNT = '[a-z][a-z_-]{0,39}(:[a-z0-9_-]{1,40})?';
const codes = Type.Array(
  Type.Object(
    {
      account: Type.String({ pattern: `^${ACCOUNT}$` }),
      code: orNull(Type.String({ maxLength: 100, pattern: `^${CODE}$` })),
    },
    { additionalProperties: false },
  ),
  {
    ...{ minItems: 1, maxItems: 200, form: 'accounts, each with a code or null' },
    description: 'codes of accounts in the accounting software',
    spelt: [
      {
        ...{ option: 'code', placeholder: 'account=code' },
        ...{ form: 'account=code, such as fees=4000', says: 'code of an account; repeatable' },
        read: (given: string) => {
          const [, account, , code] =
            new RegExp(`^(${ACCOUNT})=(${CODE})?$`, 'u').exec(given) ?? [];
          return account === undefined ? undefined : { account, code: code ?? null };
        },
      },
    ],
  },
);

const rowOf = ({ summaryNumber }: Core, row: ListedSummary): SummaryList['journals'][number] => {
  const { fromAt, toAt, debitCents, lineCount, exportedAt, exportedBy, reference } = row;
  return {
    ...wireOf({ number: summaryNumber(row.number), from: fromAt, to: toAt, madeAt: row.madeAt }),
    ...wireOf({ lines: lineCount, amountCents: debitCents }),
    state: exportedAt === null ? 'waiting' : 'exported',
    ...wireOf({ exportedAt, exportedBy, reference }),
  };
};

/** Lines of a trial balance have no contra accounts. */
const entryOf = (entry: NamedLine) => ({
  ...wireOf(entry),
  class: entry.class as (typeof OWN_CLASSES)[number] | 'clearing',
});

const numberOf = (name: string): number => Number(name.slice(3));

/** Throws: `not_found`. */
async function requireSummary({ readSummary }: Core, name: string, deps: StaffDeps) {
  const found = await readSummary(deps.pool, numberOf(name), deps.wireTime);
  if (found === undefined) throw new Refusal('not_found', { field: 'number' });
  return found;
}

const SETS = {
  permission: 'finance.act',
  proposes: 'accounting_setting',
  actsAlone: true,
} as const;

export const SUMMARY_JOURNALS: Noun = {
  command: 'summary-journal',
  summary: 'What was posted, summed by account, for accounting software. Each posting is in one.',
  definitions: [
    list(
      core,
      byPlace(/^(\d{1,9})$/, ([last = '']) => Number(last)),
      {
        name: 'summary-journal.list',
        summary: 'Summary journals, newest first.',
        route: 'GET /summary-journals',
        permission: 'finance.read',
        input: {
          state: Type.Enum(['all', ...STATES], {
            ...{ default: 'all', description: 'waiting: not marked as exported' },
          }),
        },
        rows: 'journals',
        row: summaryRow,
        empty: 'no summary journals',
        read: async ({ core: { listSummaries }, input: { state }, deps: { pool } }, page) =>
          await listSummaries(pool, { state, ...page }),
        placeOf: (row) => [row.number],
        show: (shown, { core: loaded }) => shown.map((row) => rowOf(loaded, row)),
      },
    ),
    view(core, {
      name: 'summary-journal.show',
      summary: 'A summary journal with its lines and the company’s codes of their accounts.',
      route: 'GET /summary-journals/:number',
      permission: 'finance.read',
      input: inputOf({ number }),
      output: whole,
      rows: 'entries',
      total: 'total',
      empty: 'no lines',
      handle: async ({ core: loaded, input, deps }) => {
        const found = await requireSummary(loaded, input.number, deps);
        const { lines, debitCents } = found;
        return {
          ...rowOf(loaded, found),
          entries: lines.map((entry) => fit(entryView, entryOf(entry))),
          total: wireOf({ debitCents, creditCents: debitCents }),
        };
      },
    }),
    download(core, {
      name: 'summary-journal.file',
      summary: 'A summary journal in the import layout of an accounting program.',
      route: 'GET /summary-journals/:number/file',
      permission: 'finance.read',
      input: inputOf({
        number,
        format: Type.Enum([...SUMMARY_FORMATS], { description: 'layout of the file' }),
      }),
      handle: async ({ core: loaded, input, deps }) =>
        loaded.summaryFile(await requireSummary(loaded, input.number, deps), input.format),
    }),
    action(core, {
      name: 'summary-journal.mark-exported',
      summary:
        'Say that a summary journal is in the accounting software. Once: from then on its files stay as they are.',
      route: 'POST /summary-journals/:number/exported',
      permission: 'finance.act',
      programsMay: true,
      input: inputOf({
        number,
        reference: shortText({ description: 'how the accounting software calls it' }),
      }),
      output: summaryRow,
      handle: async ({ core: loaded, input, deps, viewer }) => {
        const tools = { pool: deps.pool, ledgerMac: await deps.ledgerMac() };
        const said = { reference: input.reference, by: viewer.actor.name };
        const after = await loaded.markExported(tools, numberOf(input.number), said);
        const result = rowOf(loaded, after);
        return { result, audit: { target: result.number, after: { reference: input.reference } } };
      },
    }),
    view(core, {
      name: 'summary-journal.settings',
      summary: 'How summary journals are made, and the code of each account of the books.',
      route: 'GET /summary-settings',
      permission: 'finance.read',
      isLong: true,
      input: NOTHING,
      output: settings,
      handle: async ({ core: { readSettings }, deps: { pool, clock } }) => {
        const { terms, ...found } = await readSettings(pool, clock.now());
        if (terms === null) return { terms, ...found };
        const { version: _, dimensions, per, ...of } = terms;
        return { ...found, terms: { ...wireOf(of), per, dimensions: [...dimensions] } };
      },
    }),
    setting(core, {
      ...SETS,
      name: 'summary-journal.set-terms',
      summary: 'Set how summary journals are made. They begin with the first one.',
      route: 'POST /summary-settings/terms',
      needsOne: ['per', 'by', 'tax_code', 'company', 'from'],
      input: {
        per: Type.Optional(
          Type.Enum(['day', 'month'], { description: 'one journal for each (default: month)' }),
        ),
        by: Type.Optional(
          Type.String({
            option: 'sum-by',
            pattern: `^(none|(${SUMMARY_DIMENSIONS.join('|')})(,(${SUMMARY_DIMENSIONS.join('|')})){0,2})$`,
            form: `none, or some of ${SUMMARY_DIMENSIONS.join(', ')}, separated by commas`,
            description: `besides the account: none, or some of ${SUMMARY_DIMENSIONS.join(', ')}`,
            placeholder: 'names',
          }),
        ),
        tax_code: Type.Optional(
          line(100, { description: 'tax code or rate of lines without tax, such as T9' }),
        ),
        company: Type.Optional(
          line(200, { description: 'the company as the accounting software calls it' }),
        ),
        from: Type.Optional(
          fields.moment({ description: 'what is posted since then is in one; only given once' }),
        ),
      },
      change: async ({ core: { present, SUMMARY_TERMS }, input, deps }) => {
        const { per, by, tax_code: taxCode, company, from } = input;
        const startsAt = from && readMoment(from, 'from', deps.wireTime).toISOString();
        const dimensions = by === 'none' ? [] : (by?.split(',') as SummaryDimension[] | undefined);
        const change = present({ per, dimensions, taxCode, company, startsAt });
        return { setting: SUMMARY_TERMS, key: {}, change };
      },
    }),
    setting(core, {
      ...SETS,
      name: 'summary-journal.set-codes',
      summary:
        'Set the company’s own codes of accounts: of one, such as operator-float:kplc, or of all that begin so, operator-float.',
      route: 'POST /summary-settings/codes',
      input: { codes },
      change: async ({ core: { ACCOUNT_CODES }, input }) => ({
        ...{ setting: ACCOUNT_CODES, key: {}, change: { codes: input.codes } },
      }),
    }),
  ],
};
