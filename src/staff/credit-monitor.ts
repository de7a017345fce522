import { Type } from 'typebox';
import type { Static } from 'typebox';
import { AMOUNT_UNITS } from '../credit/registry/account.ts';
import { CREDIT_OPERATIONS } from '../credit/bureaus/bureau.ts';
import type { Override } from '../credit/monitoring/read-overrides.ts';
import { endingOf, lender, SCORE_KINDS } from './credit-fields.ts';
import { IMPORT_ALONE } from './credit-imports.ts';
import { OF_SUBJECTS } from './credit-subjects.ts';
import { OF_TRAINING } from './credit-training.ts';
import { OF_UPKEEP } from './credit-upkeep.ts';
import { action, view } from './definition.ts';
import type { Noun } from './definition.ts';
import * as fields from './fields.ts';
import { inputOf, NOTHING, orNull, text, textOrNull, time, titled } from './fields.ts';
import { BY_ID, BY_TEXT, list } from './lists.ts';
import { wireOf } from './wire.ts';

const core = async () => ({
  ...(await import('../credit/monitoring/overrides.ts')),
  ...(await import('../credit/monitoring/read-months.ts')),
  ...(await import('../credit/monitoring/read-overrides.ts')),
  ...(await import('../credit/monitoring/read-usage.ts')),
  ...(await import('../credit/registry/lenders.ts')),
  ...(await import('../credit/watches/read-watches.ts')),
  ...(await import('../parties/require-vendor.ts')),
});

/** About a year of champions and challengers of both scores. */
export const MAX_MONTHS = 60;

const count = (title: string) => Type.Integer({ title, unit: 'count' });
/** A share between 0 and 1. */
const share = (title: string) =>
  orNull(Type.Number(), {
    ...{ title, unit: 'count' },
    text: (value: number | null) => (value === null ? '–' : `${(100 * value).toFixed(1)} %`),
  });

/** 0.1 and 0.25 are the usual limits. */
function stabilityText(index: number | null): string {
  if (index === null) return '–';
  const verdict = index < 0.1 ? '' : index < 0.25 ? ' watch' : ' act';
  return `${index.toFixed(3)}${verdict}`;
}

const usageOf = (title: string) =>
  Type.Array(
    Type.Object({
      of: text({ title }),
      enquiries: count('Enquiries'),
      answered: count('Answered'),
      not_found: count('Not found'),
      /** Names or documents did not agree. */
      mismatched: count('Mismatched'),
      unknown: count('Unknown'),
      /** The share of answered enquiries among those whose result is known. */
      hit_rate: share('Hit rate'),
      mismatch_rate: share('Mismatch rate'),
    }),
    { title: `By ${title.toLowerCase()}` },
  );
const usage = Type.Object({ days: usageOf('Day'), vendors: usageOf('Vendor') });
export type CreditUsage = Static<typeof usage>;

const ofMonth = {
  month: text({ title: 'Month' }),
  kind: Type.Enum([...SCORE_KINDS], { title: 'Kind' }),
  role: Type.Enum(['champion', 'challenger'], { title: 'Role' }),
  card: text({ title: 'Card' }),
  people: count('People'),
  stability_index: orNull(Type.Number(), { title: 'PSI', unit: 'count', text: stabilityText }),
  /** Mean probability of default, and the share that defaulted. Null: nobody’s outcome is known. */
  predicted: share('Predicted'),
  observed: share('Observed'),
};

/** As last measured. */
export const keptMonth = Type.Object({ ...ofMonth, measured_at: time({ title: 'Measured' }) });
const keptMonths = Type.Object({ months: Type.Array(keptMonth) });
export type KeptMonths = Static<typeof keptMonths>;

const { predicted, observed, ...beginning } = ofMonth;
const measuredMonth = Type.Object({
  ...beginning,
  mean_score: count('Mean'),
  /** `training`, a month, or null if there is nothing to compare with. */
  compared_with: textOrNull(),
  /** People whose period of observation has ended. */
  outcomes_known: count('Known'),
  ...{ predicted, observed },
  auc: orNull(Type.Number(), {
    ...{ title: 'AUC', unit: 'count', nullText: '–' },
    text: (auc: number | null) => (auc === null ? '–' : auc.toFixed(3)),
  }),
  /** Of the others, who have already defaulted. */
  bad_so_far: Type.Integer(),
  /** Decisions of lenders against the score. */
  overrides: count('Overrides'),
});

const lenderView = Type.Object({
  ...titled({ lender: text, sector: text }),
  amounts: orNull(Type.Enum([...AMOUNT_UNITS]), {
    title: 'Amounts',
    nullText: 'as each file says',
  }),
});

export const CREDIT: Noun = {
  command: 'credit',
  summary: 'The credit registry.',
  definitions: [
    ...OF_SUBJECTS,
    ...OF_UPKEEP,
    ...OF_TRAINING,
    IMPORT_ALONE,
    view(core, {
      name: 'credit.usage',
      summary: 'Enquiries by day and by vendor: how many found somebody.',
      route: 'GET /credit/usage',
      permission: 'credit.read',
      input: inputOf({
        days: Type.Integer({
          ...{ minimum: 1, maximum: 92, default: 14 },
          description: 'today and the days before it',
          placeholder: 'count',
        }),
      }),
      output: usage,
      handle: async ({ core: { readUsage }, input: { days }, deps }) => {
        const { pool, clock, timeZone, wireTime } = deps;
        return wireOf(await readUsage(pool, { days, now: clock.now(), timeZone, wireTime }));
      },
    }),
    view(core, {
      name: 'credit.monitor',
      summary:
        'Stability and calibration of the cards in use, by month; champion and challenger side by side.',
      route: 'GET /credit/monitor',
      permission: 'credit.read',
      isLong: true,
      input: inputOf({
        months: Type.Integer({
          ...{ minimum: 1, maximum: 60, default: 14 },
          description: 'number of months, including the current one',
          placeholder: 'count',
        }),
      }),
      output: Type.Object({ months: Type.Array(measuredMonth) }),
      rows: 'months',
      empty: 'no scores in these months',
      handle: async ({ core: { readMonthsWithOverrides }, input, deps }) => {
        const { pool, clock, timeZone } = deps;
        const asked = { months: input.months, now: clock.now(), timeZone };
        const found = await readMonthsWithOverrides(pool, asked);
        return {
          months: found.map(({ known, meanScore, ...month }) => ({
            ...wireOf(month),
            ...{ mean_score: Math.round(meanScore), outcomes_known: known },
          })),
        };
      },
    }),
    view(core, {
      name: 'credit.months',
      summary: 'The same figures, as the service last measured them.',
      route: 'GET /credit/months',
      permission: 'credit.read',
      input: NOTHING,
      output: keptMonths,
      rows: 'months',
      empty: 'nothing was measured yet',
      handle: async ({ core: { readKeptMonths }, deps: { pool } }) => ({
        months: wireOf(await readKeptMonths(pool, MAX_MONTHS)),
      }),
    }),
    list(core, BY_TEXT, {
      name: 'credit.watches',
      summary: 'The customers that a vendor watches, ordered by the reference of the enquiry.',
      route: 'GET /credit/watches',
      permission: 'credit.read',
      input: { vid: fields.vid() },
      rows: 'watches',
      row: Type.Object({
        reference: text({ title: 'Reference' }),
        /** The last digits of the customer’s reference. */
        customer: text({ title: 'Customer', text: (ending: string) => `…${ending}` }),
        ...titled({ score_drop: Type.Integer, started_at: time, ended_at: fields.timeOrNull }),
      }),
      empty: 'no watches',
      read: async ({ core: loaded, input: { vid }, deps: { pool } }, { after = '', limit }) => {
        const { vendorId } = await loaded.requireVendor(pool, vid);
        return await loaded.listVendorWatches(pool, { vendorId, after, limit });
      },
      placeOf: ({ requestReference }) => [requestReference],
      show: (shown) =>
        shown.map(({ requestReference: reference, crn, ...watch }) => ({
          ...{ reference, customer: endingOf(crn), ...wireOf(watch) },
        })),
    }),
    view(core, {
      name: 'credit.lender',
      summary: 'A lender’s sector, and the unit of its amounts.',
      route: 'GET /credit/lenders/:lender',
      permission: 'credit.read',
      input: inputOf({ lender: lender() }),
      output: lenderView,
      handle: async ({ core: { requireLender }, input, deps: { pool } }) =>
        await requireLender(pool, input.lender),
    }),
    action(core, {
      name: 'credit.lender-amounts',
      summary: 'Set the unit of the amounts in a lender’s files from now on.',
      route: 'POST /credit/lenders/:lender/amounts',
      permission: 'credit.act',
      actsAlone: 'always',
      input: inputOf({
        lender: lender(),
        amounts: Type.Enum([...AMOUNT_UNITS, 'unset'], {
          ...{ description: 'the unit; unset: each file has to say it', placeholder: 'unit' },
        }),
      }),
      output: lenderView,
      handle: async ({ core: { changeAmountUnit }, input, deps: { pool } }) => {
        const amounts = input.amounts === 'unset' ? null : input.amounts;
        const before = await changeAmountUnit(pool, input.lender, amounts);
        return {
          result: { ...before, amounts },
          audit: { before: { amounts: before.amounts }, after: { amounts } },
        };
      },
    }),
  ],
};

const DECISIONS = ['approved', 'declined'] as const;

const override = {
  /** The enquiry, by its number in the vendor’s chain. */
  number: Type.Integer({ title: 'Enquiry' }),
  recorded_at: time({ title: 'Recorded' }),
  decision: Type.Enum([...DECISIONS], { title: 'Decision' }),
  ...titled({ card: text, score: text }),
  decided_by: text({ title: 'By' }),
  reason: text({ title: 'Reason' }),
};

export const CREDIT_OVERRIDES: Noun = {
  command: 'credit override',
  summary: 'Decisions of lenders against the score.',
  definitions: [
    action(core, {
      name: 'credit-override.add',
      summary: 'Record that a lender decided against the score of an enquiry.',
      route: 'POST /credit/overrides',
      permission: 'credit.act',
      actsAlone: 'always',
      input: inputOf({
        vid: fields.vid(),
        reference: fields.line(64, { description: 'requestReference of the enquiry' }),
        operation: Type.Enum(
          CREDIT_OPERATIONS.filter((name) => name !== 'id-decision'),
          { default: 'generic-score', description: 'operation of the enquiry' },
        ),
        decision: Type.Enum([...DECISIONS], { description: 'the lender’s decision' }),
        reason: fields.reasonWith({ option: 'reason' }),
        decided_by: fields.displayName({ description: 'who decided' }),
      }),
      output: Type.Object(override),
      handle: async ({ core: loaded, input, deps: { pool, clock } }) => {
        const { vendorId } = await loaded.requireVendor(pool, input.vid);
        const { reference: requestReference, decided_by: decidedBy, vid: _, ...given } = input;
        const made = { ...given, vendorId, requestReference, decidedBy, recordedAt: clock.now() };
        const result = overrideView(await loaded.recordOverride(pool, made));
        const { number, decision, card } = result;
        const target = `${input.vid} ${number}`;
        return { result, audit: { target, after: { decision, card, decided_by: decidedBy } } };
      },
    }),
    list(core, BY_ID, {
      name: 'credit-override.list',
      summary: 'A vendor’s overrides, newest first.',
      route: 'GET /credit/overrides',
      permission: 'credit.read',
      input: { vid: fields.vid() },
      rows: 'overrides',
      row: Type.Object(override),
      empty: 'no overrides',
      read: async ({ core: loaded, input: { vid }, deps: { pool } }, page) => {
        const { vendorId } = await loaded.requireVendor(pool, vid);
        return await loaded.listOverrides(pool, vendorId, page);
      },
      placeOf: ({ overrideId }) => overrideId,
      show: (shown) => shown.map(overrideView),
    }),
  ],
};

function overrideView(row: Override): Static<ReturnType<typeof Type.Object<typeof override>>> {
  const { sequence, recordedAt, decision, card, score, decidedBy, reason } = row;
  const number = Number(sequence);
  return wireOf({ number, recordedAt, decision, card, score, decidedBy, reason });
}
