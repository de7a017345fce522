import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import { SCORE_KINDS } from '../../src/credit/scorecards/scorecard.ts';
import type { ScoreKind } from '../../src/credit/scorecards/scorecard.ts';
import { MOBILE_HEADER, mobileLines } from './mobile-template.ts';
import { MAX_SUBJECTS } from './person.ts';
import { SANDBOX_AS_OF, generatePopulation } from './population.ts';
import { trainingCsv, trainingJsonLines } from './training-file.ts';

interface Size {
  readonly seed: number;
  readonly subjects: number;
}

const program = new Command('population').description(
  'Writes parts of the synthetic population to a file.',
);
sized(
  'training <file>',
  'samples for `malipo credit train`: .csv of characteristics, or .jsonl of files',
)
  .addOption(
    new Option('--kind <kind>', 'the score to train').choices(SCORE_KINDS).makeOptionMandatory(),
  )
  .action(async (file: string, options: Size & { kind: ScoreKind }) => {
    await writeLines(
      file,
      file.endsWith('.csv') ? trainingCsv(options) : trainingJsonLines(options),
    );
  });
sized('mobile <file>', 'one lender’s accounts in the mobile template, for `malipo credit import`')
  .requiredOption('--lender <code>', 'such as DEMO_MOBILE_1')
  .action(async (file: string, options: Size & { lender: string }) => {
    await writeLines(file, mobileFile(options));
  });
await program.parseAsync();

function sized(spec: string, summary: string): Command {
  return program
    .command(spec)
    .description(summary)
    .option('--seed <number>', 'the same seed makes the same people', wholeNumber, 1)
    .option('--subjects <number>', 'how many people', wholeNumber, 10_000);
}

function* mobileFile({ lender, ...size }: Size & { lender: string }): Generator<string> {
  yield MOBILE_HEADER;
  yield* mobileLines(generatePopulation(size), { lender, asOf: SANDBOX_AS_OF });
}

async function writeLines(file: string, lines: Iterable<string>): Promise<void> {
  const ended = function* (): Generator<string> {
    for (const line of lines) yield `${line}\n`;
  };
  await pipeline(Readable.from(ended()), createWriteStream(file));
}

function wholeNumber(text: string): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : NaN;
  if (value <= MAX_SUBJECTS) return value;
  throw new InvalidArgumentError(`It must be a whole number up to ${MAX_SUBJECTS}.`);
}
