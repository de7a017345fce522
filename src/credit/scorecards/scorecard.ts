import { strict } from '../../platform/base/json-fields.ts';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { Type } from 'typebox';
import type { Static } from 'typebox';
import { compiled } from '../../platform/base/compiled.ts';
import { readJson } from '../../platform/base/json.ts';

import { PlainError } from '../../platform/base/plain-error.ts';
import { CHARACTERISTIC_NAMES, characteristic } from './characteristics.ts';

export const SCORE_KINDS = ['generic', 'mobile'] as const;
export type ScoreKind = (typeof SCORE_KINDS)[number];

const BIN = strict({
  below: Type.Optional(
    Type.Number({ description: 'Upper end, not included. The last bin has none.' }),
  ),
  points: Type.Integer(),
});

const CARD_CHARACTERISTIC = strict({
  name: Type.Enum(CHARACTERISTIC_NAMES),
  bins: Type.Array(BIN, { minItems: 1, maxItems: 50 }),
  never: Type.Optional(
    Type.Integer({ description: 'Points when it never happened, where that can be.' }),
  ),
  reason: Type.String({ minLength: 10, maxLength: 200 }),
});

/** The width of the bands of `validation`. */
export const VALIDATION_BAND_POINTS = 20;

const BAND_COUNTS = Type.Record(
  Type.String({ pattern: String.raw`^\d{1,4}$` }),
  Type.Number({ minimum: 0 }),
);

/** A scorecard file. Points are integers, so that a score and its probability agree exactly. */
const SCORECARD = strict({
  id: Type.String({ pattern: '^[a-z][a-z0-9-]{0,40}$' }),
  kind: Type.Enum(SCORE_KINDS),
  version: Type.Integer({ minimum: 1 }),
  about: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]), {
    description: 'Where the card comes from and how good it is, for people.',
  }),
  reference: Type.Optional(
    Type.Record(Type.String({ pattern: '^\\d{1,4}$' }), Type.Number({ minimum: 0 }), {
      description:
        'Samples of the development part by bands of 50 points, named by the lowest score: what later scores are compared with.',
    }),
  ),
  validation: Type.Optional(
    Type.Object(
      { goods: BAND_COUNTS, bads: BAND_COUNTS },
      {
        additionalProperties: false,
        description:
          'People whom the card was not made from, by outcome and bands of 20 points, named by the lowest score: how well the card tells them apart.',
      },
    ),
  ),
  basePoints: Type.Integer(),
  characteristics: Type.Array(CARD_CHARACTERISTIC, { minItems: 1 }),
});

export type Scorecard = Static<typeof SCORECARD>;
export type CardCharacteristic = Static<typeof CARD_CHARACTERISTIC>;

/** The card in force of each kind. */
export type Scorecards = Readonly<Record<ScoreKind, Scorecard>>;

const schema = compiled(SCORECARD);

/** A scorecard file that must not be used, with all of its problems. */
export class ScorecardError extends PlainError {
  constructor(source: string, problems: readonly string[]) {
    super(`${source} is not a valid scorecard:\n${problems.map((one) => `  - ${one}`).join('\n')}`);
    this.name = 'ScorecardError';
  }
}

/**
 * Checks a scorecard read from `source`: its format, that bins ascend, and that points follow the
 * direction of each characteristic. The last check guarantees for every card, by any author, that
 * defaults lower the score and repayments raise it.
 * Throws: `ScorecardError`.
 */
export function checkScorecard(value: unknown, source: string): Scorecard {
  if (!schema.fits(value)) {
    const problems = schema
      .problems(value)
      .map(({ instancePath, message }) => `${instancePath || 'the whole'}: ${message}`);
    throw new ScorecardError(source, problems);
  }
  const names = value.characteristics.map(({ name }) => name);
  const problems = value.characteristics.flatMap(problemsOf);
  if (new Set(names).size < names.length) problems.push('a characteristic occurs twice');
  if (problems.length > 0) throw new ScorecardError(source, problems);
  return value;
}

function problemsOf({ name, bins, never }: CardCharacteristic): string[] {
  const { better, canBeNever } = characteristic(name);
  const problems: string[] = [];
  const ends = bins.map(({ below }) => below ?? Infinity);
  if (ends.some((end, index) => end <= (ends[index - 1] ?? -Infinity)) || ends.at(-1) !== Infinity)
    problems.push(`${name}: bins must ascend, the last one without an end`);
  const points = bins.map((bin) => bin.points);
  const improving = better === 'higher' ? points : points.toReversed();
  if (improving.some((value, index) => value < (improving[index - 1] ?? -Infinity)))
    problems.push(`${name}: points must not fall as the value gets better (${better} is better)`);
  if ((never === undefined) === (canBeNever === true))
    problems.push(`${name}: ${canBeNever ? 'needs' : 'must not have'} points for “never”`);
  if (never !== undefined && never < Math.max(...points))
    problems.push(`${name}: “never” must earn at least as much as any value`);
  return problems;
}

/** Every card of a folder. Throws: `ScorecardError` for an invalid file. */
export function readCards(folder: string): Scorecard[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .toSorted()
    .map((file) => readScorecard(path.join(folder, file)));
}

/**
 * The highest version of each kind; older versions may stay as a record.
 * Throws: `ScorecardError` for a version that occurs twice, or a kind without a card.
 */
export function newestCards(cards: readonly Scorecard[], source: string): Scorecards {
  return {
    generic: newestOf(cards, 'generic', source),
    mobile: newestOf(cards, 'mobile', source),
  };
}

/** Name of a card in enquiries: `id@version`. */
export function cardName({ id, version }: Pick<Scorecard, 'id' | 'version'>): string {
  return `${id}@${version}`;
}

/** One scorecard file. @param source what a problem calls it. Throws: `ScorecardError`. */
export function readScorecard(file: string, source = file): Scorecard {
  let value: unknown;
  try {
    value = readJson(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new ScorecardError(source, [(error as Error).message]);
  }
  return checkScorecard(value, source);
}

function newestOf(cards: readonly Scorecard[], kind: ScoreKind, folder: string): Scorecard {
  const [newest, second] = cards
    .filter((card) => card.kind === kind)
    .toSorted((a, b) => b.version - a.version);
  if (newest === undefined) throw new ScorecardError(folder, [`there is no ${kind} card`]);
  if (newest.version === second?.version)
    throw new ScorecardError(folder, [`${kind} version ${newest.version} occurs twice`]);
  return newest;
}

/** The points of a value: those of its bin. */
export function pointsOf({ bins, never }: CardCharacteristic, value: number | null): number {
  if (value === null) return never ?? bins.at(-1)!.points;
  return (bins.find(({ below }) => below === undefined || value < below) ?? bins.at(-1)!).points;
}

/** The most points that anyone can get. */
export function maximumPointsOf({ bins, never }: CardCharacteristic): number {
  return Math.max(never ?? -Infinity, ...bins.map(({ points }) => points));
}
