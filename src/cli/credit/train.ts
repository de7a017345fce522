import { existsSync } from 'node:fs';
import path from 'node:path';
import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import { CHARACTERISTIC_NAMES } from '../../credit/scorecards/characteristics.ts';
import type { CharacteristicName } from '../../credit/scorecards/characteristics.ts';
import { SCORE_KINDS } from '../../credit/scorecards/scorecard.ts';
import type { Scorecard, ScoreKind } from '../../credit/scorecards/scorecard.ts';
import { applyCard } from '../../credit/training/apply-card.ts';
import { tableReport, validationReport } from '../../credit/training/card-report.ts';
import { readDefinition } from '../../credit/training/definition.ts';
import { modelCard, tableModelCard } from '../../credit/training/model-card.ts';
import { readSamples } from '../../credit/training/read-samples.ts';
import { readTable } from '../../credit/training/read-table.ts';
import { PART_NAMES } from '../../credit/training/report.ts';
import { leaveOut } from '../../credit/training/samples.ts';
import { readTableCard } from '../../credit/training/table-card.ts';
import { trainTable } from '../../credit/training/train-table.ts';
import { trainScorecard, writeTraining } from '../../credit/training/train.ts';
import type { TrainingFiles } from '../../credit/training/train.ts';
import { PARTS } from '../../credit/training/validation.ts';
import type { Validation } from '../../credit/training/validation.ts';
import type { FittedCharacteristic } from '../../credit/training/weights-fit.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { command, displayName, wholeNumber } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { UsageError } from '../failure.ts';
import { showAnswer, table } from '../output.ts';
import type { Answer } from '../output.ts';

interface TrainOptions {
  readonly json?: boolean;
  readonly kind?: ScoreKind;
  readonly definition?: string;
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
  command(
    credit,
    'train',
    'Make a scorecard from files of this machine with a known outcome, and validate it.',
  )
    .argument(
      '<samples>',
      'samples: .csv of characteristics, JSON Lines of credit files, or with --definition any table as .csv',
    )
    .addOption(
      new Option('--kind <kind>', 'the score of the registry it is for').choices(SCORE_KINDS),
    )
    .option('--definition <file>', 'JSON that describes the columns of a table')
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

/** Adds `apply-card` to the command `credit`. It needs no database. */
export function addApplyCardCommand(credit: Command, cli: Cli): void {
  command(
    credit,
    'apply-card',
    'Score each row of a table of this machine with a card trained on such tables.',
  )
    .argument('<card>', 'card of `credit train --definition`')
    .argument('<table>', 'the table: .csv with a header')
    .requiredOption('--out <file>', 'where to write the rows with their scores; must not exist')
    .action(async (card: string, from: string, options: { json?: boolean; out: string }) => {
      await cli.runAlone(options, async () => {
        requireFiles([card, from]);
        if (existsSync(options.out)) throw new PlainError(`${options.out} exists.`);
        const rows = await applyCard(readTableCard(card), from, options.out);
        return { json: { rows, out: options.out }, text: `${rows} rows scored: ${options.out}\n` };
      });
    });
}

/** Throws: `PlainError` if one does not exist. */
function requireFiles(files: readonly (string | undefined)[]): void {
  for (const file of files) {
    if (file !== undefined && !existsSync(file)) {
      throw new PlainError(`File ${file} does not exist.`);
    }
  }
}

async function train(file: string, options: TrainOptions, cli: Cli): Promise<Answer> {
  const { kind, definition } = options;
  if ((kind === undefined) === (definition === undefined)) {
    throw new UsageError('Give --kind for a card of the registry, or --definition for any table.');
  }
  const card = path.join(options.out, `${kind ?? 'table'}-${options.cardVersion}.json`);
  if (existsSync(card) && options.force !== true) {
    throw new PlainError(
      `${card} exists. Scores in the records name their card by version: choose another --card-version, or --force if the card was never used.`,
    );
  }
  requireFiles([file, definition]);
  return kind === undefined
    ? await trainOnTable(file, { ...options, definition: definition! }, cli)
    : await trainForRegistry(file, { ...options, kind }, cli);
}

async function trainForRegistry(
  file: string,
  options: TrainOptions & { readonly kind: ScoreKind },
  cli: Cli,
): Promise<Answer> {
  const { samples: all, withoutHistory } = await readSamples(file, (count) => {
    cli.progress.show(`${count} samples read`);
  });
  const samples = leaveOut(all, options.leaveOut);
  cli.progress.show(`fitting and validating on ${samples.count} samples`);
  const { kind, id, cardVersion: version, seed, origin } = options;
  const { fit, validation } = trainScorecard(
    samples,
    { id, kind, version, about: { origin } },
    seed,
  );
  const texts = {
    report: validationReport(fit, validation),
    modelCard: modelCard(fit, validation),
  };
  const files = await writeTraining(fit.card, texts, options.out);
  const next = `Read the report, then \`malipo credit scorecard add ${files.card}\`.`;
  const answer = answerOf({ ...fit, validation, files, next });
  return { ...answer, json: { ...answer.json, without_history: withoutHistory } };
}

async function trainOnTable(
  file: string,
  options: TrainOptions & { readonly definition: string },
  cli: Cli,
): Promise<Answer> {
  const definition = readDefinition(options.definition);
  cli.progress.show('reading the table');
  const rows = await readTable(file, definition);
  cli.progress.show(`fitting and validating on ${rows.samples.count} rows`);
  const { id, cardVersion: version, seed, origin } = options;
  const identity = { id, version, about: { origin } };
  const training = trainTable(rows, definition, { identity, seed });
  const texts = {
    report: tableReport(training, definition),
    modelCard: tableModelCard(training, definition),
  };
  const { card, fit, validation } = training;
  const files = await writeTraining(card, texts, options.out);
  const next = `Read the report, then score tables with \`malipo credit apply-card ${files.card}\`.`;
  return answerOf({ card, characteristics: fit.columns, validation, files, next });
}

function answerOf(made: {
  readonly card: Pick<Scorecard, 'id' | 'version' | 'about'>;
  readonly characteristics: readonly FittedCharacteristic[];
  readonly validation: Validation;
  readonly files: TrainingFiles;
  readonly next: string;
}) {
  const { card, files } = made;
  const inference = card.about['rejectInference'];
  return {
    json: {
      scorecard: `${card.id}@${card.version}`,
      files,
      samples: card.about['samples'],
      about: card.about,
      characteristics: made.characteristics.map(({ name, coefficient, leftOut }) => ({
        name,
        coefficient: coefficient ?? null,
        left_out: leftOut ?? null,
      })),
    },
    text: [
      performanceTable(made.validation),
      ...(inference === undefined ? [] : [`Reject inference ${inference}.`]),
      `Written: ${files.card}`,
      `         ${files.report}`,
      `         ${files.modelCard}`,
      made.next,
      '',
    ].join('\n'),
  };
}

function performanceTable({ parts }: Validation): string {
  const rows = PARTS.flatMap((part) => {
    const performance = parts[part]?.performance;
    if (performance === undefined) return [];
    const { samples, bads, auc, ks, brier, calibrationError, calibrationSlope } = performance;
    const figures = [auc, ks, brier, calibrationError, calibrationSlope];
    const counts = [samples, bads].map((count) => String(Math.round(count)));
    return [[PART_NAMES[part], ...counts, ...figures.map((value) => value.toFixed(3))]];
  });
  return table(
    [
      { title: 'PART' },
      ...['SAMPLES', 'BAD', 'AUC', 'KS', 'BRIER', 'CALIBRATION', 'SLOPE'].map((title) => ({
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
