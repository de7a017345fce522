import { strict } from '../../platform/base/json-fields.ts';
import { Type } from 'typebox';
import type { Static } from 'typebox';
import { compiled } from '../../platform/base/compiled.ts';
import { readJsonFile, TrainingError } from './error.ts';

const NAME = Type.String({ minLength: 1, maxLength: 100 });
const VALUES = Type.Array(Type.String({ maxLength: 200 }), { minItems: 1, maxItems: 100 });

const COLUMN = strict({
  name: NAME,
  type: Type.Enum(['number', 'category']),
  better: Type.Optional(
    Type.Enum(['higher', 'lower', 'either'], {
      description:
        'Numbers only: the values that are better. Default: either, as the samples show.',
    }),
  ),
  missing: Type.Optional(
    Type.Array(Type.String({ maxLength: 200 }), {
      description: 'Values that mean: not known. An empty one always does.',
    }),
  ),
  meaning: Type.Optional(Type.String({ maxLength: 200 })),
  reason: Type.Optional(Type.String({ minLength: 10, maxLength: 200 })),
});

const DEFINITION = strict({
  outcome: strict({
    column: NAME,
    good: VALUES,
    bad: VALUES,
    rejected: Type.Optional(VALUES),
  }),
  columns: Type.Array(COLUMN, { minItems: 1, maxItems: 500 }),
  date: Type.Optional(NAME),
  outOfTimeFrom: Type.Optional(Type.String({ pattern: '^\\d{4}-(0[1-9]|1[0-2])$' })),
  weight: Type.Optional(NAME),
  group: Type.Optional(NAME),
  minBinBads: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
  populationBadPercent: Type.Optional(Type.Number({ exclusiveMinimum: 0, exclusiveMaximum: 100 })),
  rejectInference: Type.Optional(
    strict({ badOddsFactor: Type.Number({ minimum: 1, maximum: 100 }) }),
  ),
});

/** The columns of a table, and how a scorecard is made from them. */
export type Definition = Static<typeof DEFINITION>;
export type ColumnDefinition = Static<typeof COLUMN>;

const schema = compiled(DEFINITION);

/** Throws: `TrainingError` with all problems of the definition. */
export function checkDefinition(value: unknown, source: string): Definition {
  const problems = schema.fits(value)
    ? problemsOf(value)
    : schema
        .problems(value)
        .map(({ instancePath, message }) => `${instancePath || 'the whole'}: ${message}`);
  if (problems.length > 0) {
    throw new TrainingError(
      `${source} is not a valid definition:\n${problems.map((one) => `  - ${one}`).join('\n')}`,
    );
  }
  return value as Definition;
}

function problemsOf({ outcome, columns, date, weight, group, ...rest }: Definition): string[] {
  const others = [outcome.column, date, weight, group].filter((name) => name !== undefined);
  const names = [...columns.map(({ name }) => name), ...others];
  const twice = names.filter((name, at) => names.indexOf(name) < at);
  const values = [...outcome.good, ...outcome.bad, ...(outcome.rejected ?? [])];
  return [
    ...new Set(twice.map((name) => `column ${name} is used twice`)),
    ...columns
      .filter(({ type, better }) => type === 'category' && better !== undefined)
      .map(({ name }) => `${name}: a category has no direction`),
    ...(new Set(values).size < values.length ? ['an outcome value is used twice'] : []),
    ...(rest.outOfTimeFrom !== undefined && date === undefined
      ? ['outOfTimeFrom needs a date column']
      : []),
    ...(rest.rejectInference !== undefined && outcome.rejected === undefined
      ? ['rejectInference needs outcome.rejected']
      : []),
  ];
}

/** Throws: `TrainingError`; the error of the file system. */
export function readDefinition(file: string): Definition {
  return checkDefinition(readJsonFile(file), file);
}
