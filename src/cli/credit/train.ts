import { existsSync } from 'node:fs';
import path from 'node:path';
import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import { SCORE_KINDS } from '../../credit/scorecards/scorecard.ts';
import { CHARACTERISTIC_NAMES } from '../../credit/scorecards/characteristics.ts';
import type { CharacteristicName } from '../../credit/scorecards/characteristics.ts';
import type { ScoreKind } from '../../credit/scorecards/scorecard.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { readSamples } from '../../credit/training/read-samples.ts';
import { leaveOut } from '../../credit/training/samples.ts';
import { trainScorecard, writeTraining } from '../../credit/training/train.ts';
import { PART_NAMES } from '../../credit/training/report.ts';
import { PARTS } from '../../credit/training/validation.ts';
import type { Validation } from '../../credit/training/validation.ts';
import { command, displayName, wholeNumber } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { showAnswer, table } from '../output.ts';
import type { Answer } from '../output.ts';

interface TrainOptions {
  readonly json?: boolean;
  readonly kind: ScoreKind;
  readonly id: string;
  readonly cardVersion: number;
  readonly out: string;
  readonly seed: number;
  readonly origin: string;
  readonly leaveOut: readonly CharacteristicName[];
  readonly force?: boolean;
}

/** Adds `train` to the command `credit`. It needs no database: it reads samples and writes files. */
export function addTrainCommand(credit: Command, cli: Cli): void {
  command(credit, 'train', 'Make a scorecard from files with a known outcome, and validate it.')
    .argument('<samples>', 'samples: .csv of characteristics, or JSON Lines of credit files')
    .addOption(
      new Option('--kind <kind>', 'the score it is for').choices(SCORE_KINDS).makeOptionMandatory(),
    )
    .requiredOption('--id <id>', 'name of the card, such as our-generic', cardId)
    .requiredOption(
      '--card-version <number>',
      'version of the card; the highest of a kind is used',
      wholeNumber(1, 999_999_999),
    )
    .option('--out <folder>', 'where to write card, report and model card', 'scorecards-new')
    .option('--seed <number>', 'decides which samples are held out', wholeNumber(0, 999_999_999), 1)
    .option(
      '--origin <text>',
      'where the samples are from, for the card',
      displayName,
      'not stated',
    )
    .option(
      '--leave-out <names>',
      'characteristics the card must not use, separated by commas',
      characteristicNames,
      [],
    )
    .option('--force', 'overwrite a card of this version')
    .action(async (samples: string, options: TrainOptions) => {
      const answer = await train(samples, options, cli);
      cli.progress.clear();
      showAnswer(cli.surroundings.stdout, answer, options.json === true);
    });
}

async function train(file: string, options: TrainOptions, cli: Cli): Promise<Answer> {
  const card = path.join(options.out, `${options.kind}-${options.cardVersion}.json`);
  if (existsSync(card) && options.force !== true) {
    throw new PlainError(
      `${card} exists. Scores in the records name their card by version: choose another --card-version, or --force if the card was never used.`,
    );
  }
  if (!existsSync(file)) throw new PlainError(`File ${file} does not exist.`);
  const { samples: all, withoutHistory } = await readSamples(file, (count) => {
    cli.progress.show(`${count} samples read`);
  });
  const samples = leaveOut(all, options.leaveOut);
  cli.progress.show(`fitting and validating on ${samples.count} samples`);
  const { kind, id, cardVersion: version, seed, origin } = options;
  const training = trainScorecard(samples, { id, kind, version, about: { origin } }, seed);
  const files = await writeTraining(training, options.out);
  const { fit, validation } = training;
  return {
    json: {
      scorecard: `${id}@${version}`,
      files,
      samples: samples.count,
      without_history: withoutHistory,
      about: fit.card.about,
      characteristics: fit.characteristics.map(({ name, coefficient, leftOut }) => ({
        name,
        coefficient: coefficient ?? null,
        left_out: leftOut ?? null,
      })),
    },
    text: `${performanceTable(validation)}\nWritten: ${files.card}\n         ${files.report}\n         ${files.modelCard}\nRead the report, then put the card into the folder scorecards and restart the service.\n`,
  };
}

function performanceTable({ parts }: Validation): string {
  const rows = PARTS.flatMap((part) => {
    const performance = parts[part]?.performance;
    if (performance === undefined) return [];
    const { samples, bads, auc, ks, brier, calibrationError } = performance;
    const figures = [auc, ks, brier, calibrationError].map((value) => value.toFixed(3));
    return [[PART_NAMES[part], String(samples), String(bads), ...figures]];
  });
  return table(
    [
      { title: 'PART' },
      ...['SAMPLES', 'BAD', 'AUC', 'KS', 'BRIER', 'CALIBRATION'].map((title) => ({
        title,
        align: 'right' as const,
      })),
    ],
    rows,
  );
}

function cardId(text: string): string {
  if (!/^[a-z][a-z0-9-]{0,40}$/.test(text)) {
    throw new InvalidArgumentError('It must be lower-case letters, digits and hyphens.');
  }
  return text;
}

function characteristicNames(text: string): CharacteristicName[] {
  return text.split(',').map((given) => {
    const name = CHARACTERISTIC_NAMES.find((one) => one === given.trim());
    if (name === undefined) {
      throw new InvalidArgumentError(
        `${given.trim()} is not a characteristic. They are ${CHARACTERISTIC_NAMES.join(', ')}.`,
      );
    }
    return name;
  });
}
