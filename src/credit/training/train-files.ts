import { existsSync } from 'node:fs';
import path from 'node:path';
import { PlainError } from '../../platform/base/plain-error.ts';
import { CHARACTERISTIC_NAMES } from '../scorecards/characteristics.ts';
import type { CharacteristicName } from '../scorecards/characteristics.ts';
import type { Scorecard, ScoreKind } from '../scorecards/scorecard.ts';
import { tableReport, validationReport } from './card-report.ts';
import { readDefinition } from './definition.ts';
import { modelCard, tableModelCard } from './model-card.ts';
import { readSamples } from './read-samples.ts';
import { readTable } from './read-table.ts';
import { leaveOut } from './samples.ts';
import { trainTable } from './train-table.ts';
import { trainScorecard, writeTraining } from './train.ts';
import type { TrainingFiles } from './train.ts';
import type { Validation } from './validation.ts';
import type { FittedCharacteristic } from './weights-fit.ts';

export interface TrainingOptions {
  readonly samples: string;
  /** A card of the registry; otherwise `definition` describes the table. */
  readonly kind?: ScoreKind | undefined;
  readonly definition?: string | undefined;
  readonly id: string;
  readonly version: number;
  /** Folder of the card, the report and the model card. */
  readonly out: string;
  readonly seed: number;
  readonly origin: string;
  readonly leaveOut: readonly string[];
  /** Overwrite a card of this version. */
  readonly force: boolean;
}

export interface Trained {
  readonly card: Pick<Scorecard, 'id' | 'version' | 'about'>;
  readonly characteristics: readonly FittedCharacteristic[];
  readonly validation: Validation;
  readonly files: TrainingFiles;
  /** Samples of people without a history; null: a table has none. */
  readonly withoutHistory: number | null;
}

/** Tells what is being done, and with how many samples. */
type OnStep = (what: string, samples: number) => void;

/** Makes a scorecard from files with a known outcome, and validates it. Throws: `PlainError`. */
export async function trainFiles(options: TrainingOptions, onStep: OnStep): Promise<Trained> {
  const { kind, definition, samples } = options;
  if (kind !== undefined && definition !== undefined) {
    throw new PlainError('Give a kind for a card of the registry, or a definition for any table.');
  }
  const card = path.join(options.out, `${kind ?? 'table'}-${options.version}.json`);
  if (existsSync(card) && !options.force) {
    throw new PlainError(
      `${card} exists. Scores in the records name their card by version: choose another version, or force it if the card was never used.`,
    );
  }
  requireFiles([samples, definition]);
  return kind === undefined
    ? await trainOnTable({ ...options, definition: definition! }, onStep)
    : await trainForRegistry({ ...options, kind }, onStep);
}

/** Throws: `PlainError` if one does not exist. */
export function requireFiles(files: readonly (string | undefined)[]): void {
  for (const file of files) {
    if (file !== undefined && !existsSync(file)) {
      throw new PlainError(`File ${file} does not exist.`);
    }
  }
}

async function trainForRegistry(
  options: TrainingOptions & { readonly kind: ScoreKind },
  onStep: OnStep,
): Promise<Trained> {
  const { kind, id, version, seed, origin, out } = options;
  const left = characteristicNames(options.leaveOut);
  const { samples: all, withoutHistory } = await readSamples(options.samples, (count) => {
    onStep('samples read', count);
  });
  const samples = leaveOut(all, left);
  onStep('samples: fitting and validating', samples.count);
  const { fit, validation } = trainScorecard(
    samples,
    { id, kind, version, about: { origin } },
    seed,
  );
  const texts = {
    report: validationReport(fit, validation),
    modelCard: modelCard(fit, validation),
  };
  const files = await writeTraining(fit.card, texts, out);
  return { ...fit, validation, files, withoutHistory };
}

async function trainOnTable(
  options: TrainingOptions & { readonly definition: string },
  onStep: OnStep,
): Promise<Trained> {
  const { id, version, seed, origin, out } = options;
  const definition = readDefinition(options.definition);
  onStep('rows: reading the table', 0);
  const rows = await readTable(options.samples, definition);
  onStep('rows: fitting and validating', rows.samples.count);
  const identity = { id, version, about: { origin } };
  const training = trainTable(rows, definition, { identity, seed });
  const texts = {
    report: tableReport(training, definition),
    modelCard: tableModelCard(training, definition),
  };
  const { card, fit, validation } = training;
  const files = await writeTraining(card, texts, out);
  return { card, characteristics: fit.columns, validation, files, withoutHistory: null };
}

/** Throws: `PlainError`. */
function characteristicNames(given: readonly string[]): CharacteristicName[] {
  return given.map((text) => {
    const name = CHARACTERISTIC_NAMES.find((one) => one === text);
    if (name !== undefined) return name;
    const known = CHARACTERISTIC_NAMES.join(', ');
    throw new PlainError(`${text} is not a characteristic. They are ${known}.`);
  });
}
