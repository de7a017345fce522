import { existsSync } from 'node:fs';
import { Type } from 'typebox';
import { Refusal } from '../platform/base/errors.ts';
import { SCORE_KINDS } from './credit-fields.ts';
import { view } from './definition.ts';
import { count, displayName, inputOf, listOf, text, textOrNull, titled } from './fields.ts';
import type { Options } from './fields.ts';
import { wireOf } from './wire.ts';

const core = async () => ({
  ...(await import('../credit/training/apply-card.ts')),
  ...(await import('../credit/training/report.ts')),
  ...(await import('../credit/training/table-card.ts')),
  ...(await import('../credit/training/train-files.ts')),
  ...(await import('../credit/training/validation.ts')),
});

const measure = (options: Options) =>
  Type.Number({ unit: 'count', text: (value: number) => value.toFixed(3), ...options });

const trained = Type.Object({
  /** How good the card is: on what it was made of, and on what it has not seen. */
  parts: Type.Array(
    Type.Object({
      ...titled({ part: text, samples: count }),
      bads: count({ title: 'Bad' }),
      auc: measure({ title: 'AUC' }),
      ks: measure({ title: 'KS' }),
      ...titled({ brier: measure }),
      calibration_error: measure({ title: 'Calibration' }),
      calibration_slope: measure({ title: 'Slope' }),
    }),
    { title: 'Performance' },
  ),
  ...titled({ scorecard: text, card: text, report: text, model_card: text }),
  samples: Type.Unknown(),
  reject_inference: textOrNull({ title: 'Reject inference', isOptional: true }),
  without_history: Type.Union([Type.Integer(), Type.Null()]),
  characteristics: Type.Array(
    Type.Object({
      name: text(),
      /** Null: it has points of its own for each bin, or was left out. */
      coefficient: Type.Union([Type.Number(), Type.Null()]),
      left_out: textOrNull(),
    }),
  ),
  to_do: text({ title: 'Next' }),
});

const file = (description: string, options: Options = {}) =>
  text({ minLength: 1, description, ...options });

/** Work with files alone: it needs no database, and leaves nothing in the registry. */
export const OF_TRAINING = [
  view(core, {
    name: 'credit.train',
    summary: 'Make a scorecard from files of this machine with a known outcome, and validate it.',
    onMachine: true,
    needsNothing: true,
    permission: 'credit.read',
    needsOne: ['kind', 'definition'],
    input: inputOf({
      samples: file(
        'samples: .csv of characteristics, JSON Lines of credit files, or with --definition any table as .csv',
        { argument: true },
      ),
      kind: Type.Optional(
        Type.Enum([...SCORE_KINDS], { description: 'the score of the registry it is for' }),
      ),
      definition: Type.Optional(
        file('JSON that describes the columns of a table', { placeholder: 'file' }),
      ),
      id: text({
        ...{ pattern: '^[a-z][a-z0-9-]{0,40}$', form: 'lower-case letters, digits and hyphens' },
        description: 'name of the card, such as our-generic',
      }),
      card_version: Type.Integer({
        ...{ minimum: 1, maximum: 999_999_999, placeholder: 'number' },
        description: 'version of the card; the highest of a kind is used',
      }),
      out: file('where to write card, report and model card', {
        ...{ default: 'scorecards-new', placeholder: 'folder' },
      }),
      seed: Type.Integer({
        ...{ default: 1, minimum: 0, maximum: 999_999_999, placeholder: 'number' },
        description: 'decides which samples are held out',
      }),
      origin: displayName({
        ...{ default: 'not stated', placeholder: 'text' },
        description: 'where the samples are from, for the card',
      }),
      leave_out: listOf(Type.String(), {
        ...{ option: 'leave-out', placeholder: 'names', form: 'names of characteristics' },
        ...{
          default: [],
          description: 'characteristics the card must not use, separated by commas',
        },
        read: (given) => given.split(',').map((name) => name.trim()),
      }),
      force: Type.Boolean({ default: false, description: 'overwrite a card of this version' }),
    }),
    output: trained,
    handle: async ({ core: loaded, input, deps }) => {
      const { card_version: version, leave_out: left, ...rest } = input;
      const made = await loaded.trainFiles({ ...rest, version, leaveOut: left }, (what, done) =>
        deps.progress?.({ done, of: null, what }),
      );
      const { card, characteristics, files, validation, withoutHistory } = made;
      const inference = card.about['rejectInference'];
      const use =
        input.kind === undefined
          ? `score tables with \`malipo credit apply-card ${files.card}\``
          : `\`malipo credit scorecard add ${files.card}\``;
      return {
        parts: loaded.PARTS.flatMap((part) => {
          const performance = validation.parts[part]?.performance;
          if (performance === undefined) return [];
          const { samples, bads, auc, ks, brier, calibrationError, calibrationSlope } = performance;
          return [
            {
              ...{ part: loaded.PART_NAMES[part], auc, ks, brier },
              ...{ samples: Math.round(samples), bads: Math.round(bads) },
              ...{ calibration_error: calibrationError, calibration_slope: calibrationSlope },
            },
          ];
        }),
        scorecard: `${card.id}@${card.version}`,
        ...wireOf(files),
        samples: card.about['samples'],
        reject_inference: typeof inference === 'string' ? inference : null,
        without_history: withoutHistory,
        characteristics: characteristics.map(({ name, coefficient = null, leftOut = null }) => ({
          ...{ name, coefficient, left_out: leftOut },
        })),
        to_do: `Read the report, then ${use}.`,
      };
    },
  }),
  view(core, {
    name: 'credit.apply-card',
    summary: 'Score each row of a table of this machine with a card trained on such tables.',
    onMachine: true,
    needsNothing: true,
    permission: 'credit.read',
    input: inputOf({
      card: file('card of `credit train --definition`', { argument: true }),
      table: file('the table: .csv with a header', { argument: true }),
      out: file('where to write the rows with their scores; must not exist', {
        placeholder: 'file',
      }),
    }),
    output: Type.Object({ rows: count({ title: 'Rows scored' }), out: text({ title: 'File' }) }),
    handle: async ({ core: loaded, input: { card, table, out } }) => {
      loaded.requireFiles([card, table]);
      if (existsSync(out)) {
        throw new Refusal('invalid_field', { field: 'out', text: `out: ${out} exists` });
      }
      return { rows: await loaded.applyCard(loaded.readTableCard(card), table, out), out };
    },
  }),
];
