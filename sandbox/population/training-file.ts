import { isoDay } from '../../src/platform/base/days.ts';
import {
  CHARACTERISTIC_NAMES,
  characteristic,
  scoredFile,
} from '../../src/credit/scorecards/characteristics.ts';
import type { ScoreKind } from '../../src/credit/scorecards/scorecard.ts';
import { creditFileJson } from '../../src/credit/training/credit-file-json.ts';
import type { Sample } from '../../src/credit/training/samples.ts';
import { SANDBOX_AS_OF, generateSubjects } from './population.ts';
import type { GeneratedSubject } from './population.ts';

/** Samples over this many months, so that a card can be tested on later ones. */
const MONTHS = 12;

export interface TrainingOptions {
  readonly seed: number;
  /** Over all months; people without any account are among them but make no sample. */
  readonly subjects: number;
  readonly kind: ScoreKind;
}

/** Other people each month, for a year up to one year before the sandbox’s date. */
function* observedSubjects({ seed, subjects }: TrainingOptions): Generator<GeneratedSubject> {
  for (let month = 0; month < MONTHS; month++) {
    const [year, last] = [SANDBOX_AS_OF.getUTCFullYear(), SANDBOX_AS_OF.getUTCMonth()];
    const asOf = new Date(Date.UTC(year, last - 2 * MONTHS + month + 2, 0));
    const here =
      Math.floor((subjects * (month + 1)) / MONTHS) - Math.floor((subjects * month) / MONTHS);
    yield* generateSubjects({ seed: seed * MONTHS + month, subjects: here, asOf });
  }
}

/** Samples of the known default model, with the probability each outcome was drawn with. */
export function* trainingSamples(options: TrainingOptions): Generator<Sample> {
  for (const { profile, file, outcomes } of observedSubjects(options)) {
    const scored = scoredFile(file);
    if (scored.accounts.length === 0) continue;
    const { defaulted: bad, probability } = outcomes[options.kind];
    const measures = Object.fromEntries(
      CHARACTERISTIC_NAMES.map((name) => [name, characteristic(name).measure(scored)]),
    );
    yield { asOf: file.asOf, bad, measures, gender: profile.gender, trueProbability: probability };
  }
}

/** Samples as lines of CSV, the header first, as `malipo credit train` reads them. */
export function* trainingCsv(options: TrainingOptions): Generator<string> {
  yield ['asOf', 'bad', 'gender', 'trueProbability', ...CHARACTERISTIC_NAMES].join(',');
  for (const { asOf, bad, gender = '', trueProbability = 0, measures } of trainingSamples(
    options,
  )) {
    const values = CHARACTERISTIC_NAMES.map((name) => String(measures[name] ?? ''));
    yield [isoDay(asOf), bad ? '1' : '0', gender, trueProbability.toFixed(6), ...values].join(',');
  }
}

/** Writes the same people as JSON Lines with their whole files, as a registry would hand them over. */
export function* trainingJsonLines(options: TrainingOptions): Generator<string> {
  for (const { profile, file, outcomes } of observedSubjects(options)) {
    const { defaulted: bad, probability: trueProbability } = outcomes[options.kind];
    yield JSON.stringify({
      file: creditFileJson(file),
      bad,
      gender: profile.gender,
      trueProbability,
    });
  }
}
