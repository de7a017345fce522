import { Command, InvalidArgumentError } from 'commander';
import { countOption } from '../scripts/count-option.ts';
import { RATIOS } from './ratios.ts';
import type { Ratio } from './ratios.ts';

interface BenchOptions {
  readonly json?: boolean;
  readonly only?: readonly Ratio[];
  readonly seconds: number;
  readonly rounds: number;
  readonly maxRounds: number;
  readonly memoryMinutes: number;
  readonly historyRows: number;
  readonly consoleRows: number;
  readonly listRows: number;
  readonly chart: string;
}

/** Ends the process after `--help`, or if an option is invalid. */
export function readOptions(): BenchOptions {
  const given = new Command('bench')
    .description('Measure the service against the obvious alternatives, side by side in one run.')
    .option('--json', 'end with one JSON object instead of a table and a chart')
    .option('--only <ratios>', 'only these, separated by commas; may be repeated', addRatios)
    .option('--seconds <n>', 'length of a run', countOption, 3)
    .option('--rounds <n>', 'at least this many', countOption, 3)
    .option(
      '--max-rounds <n>',
      'at most this many (default: 9, or --rounds if it is given)',
      countOption,
    )
    .option('--memory-minutes <n>', 'length of the memory test', countOption, 10)
    .option('--history-rows <n>', 'payments of the growth suite', countOption, 5_000_000)
    .option('--console-rows <n>', 'payments of the console suite', countOption, 1_000_000)
    .option('--list-rows <n>', 'payments of the self-service suite', countOption, 5_000_000)
    .option('--chart <file>', 'where the chart is written', 'bench.svg')
    .addHelpText('after', `\nRatios:\n${RATIOS.map(({ name }) => `  ${name}`).join('\n')}`)
    .parse();
  const options = given.opts<Omit<BenchOptions, 'maxRounds'> & { readonly maxRounds?: number }>();
  const usual = given.getOptionValueSource('rounds') === 'default' ? 9 : options.rounds;
  return { ...options, maxRounds: Math.max(options.rounds, options.maxRounds ?? usual) };
}

/** The ratios to measure: those that were asked for, or all that can be measured here. */
export function chosenRatios({ only }: Pick<BenchOptions, 'only'>): readonly Ratio[] {
  return only ?? RATIOS.filter((ratio) => !lacks(ratio));
}

function addRatios(text: string, before: readonly Ratio[] = []): readonly Ratio[] {
  const names = text.split(',');
  const unknown = names.filter((name) => !RATIOS.some((ratio) => ratio.name === name));
  if (unknown.length > 0) {
    throw new InvalidArgumentError(`Unknown: ${unknown.join(', ')}. --help lists the ratios.`);
  }
  const chosen = RATIOS.filter((ratio) => names.includes(ratio.name) && !before.includes(ratio));
  const lacking = chosen.find(lacks);
  if (lacking !== undefined) {
    throw new InvalidArgumentError(`${lacking.name} needs ${lacking.needs}, which is not set.`);
  }
  return [...before, ...chosen];
}

function lacks({ needs }: Ratio): boolean {
  return needs !== undefined && process.env[needs] === undefined;
}
