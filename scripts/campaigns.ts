import { globSync, readFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import { captured } from './captured.ts';
import { countOption } from './count-option.ts';

/**
 * `npm run test:campaigns`: random searches for what `npm test` does not find, which takes the same values each
 * time. Each campaign is run again with another seed for as long as its budget allows. Prints the command that
 * repeats a failure, and exits with 1 if there was one.
 */

interface Campaign {
  /** Its minutes of the 20. On two cores a run takes at most half of them. */
  readonly share: number;
  readonly command: (seed: number) => readonly string[];
  readonly environment?: (seed: number) => Readonly<Record<string, string>>;
}

const script = (name: string, ...options: readonly string[]) => {
  return (seed: number) => ['npm', 'run', '-s', name, '--', '--seed', `${seed}`, ...options];
};
const vitest = (...files: readonly string[]) => {
  return () => ['npx', 'vitest', 'run', '--reporter=dot', ...files];
};

const PROPERTY_TESTS = globSync('test/**/*.test.ts').filter((file) =>
  readFileSync(file, 'utf8').includes(`from 'fast-check'`),
);

const CAMPAIGNS: Readonly<Record<string, Campaign>> = {
  simulation: { share: 4, command: script('sim', '--seeds', '200') },
  mutants: { share: 5, command: script('mutants', '--seeds', '3000') },
  properties: {
    share: 4,
    command: vitest(...PROPERTY_TESTS),
    environment: (seed) => ({ TEST_SEED: `${seed}` }),
  },
  settings: {
    share: 1,
    command: vitest('test/integration/operator-versions.test.ts'),
    environment: (seed) => ({
      OPERATOR_VERSION_SEEDS: '20',
      OPERATOR_VERSION_SEED: `${seed}`,
    }),
  },
  'money-in': {
    share: 2,
    command: vitest('test/model/money-in.test.ts'),
    environment: (seed) => ({ MONEY_IN_SEEDS: '60', MONEY_IN_SEED: `${seed}` }),
  },
  input: { share: 2, command: script('fuzz', '--inputs', '20000') },
  kills: { share: 2, command: script('chaos', '--kills', '20') },
  providers: { share: 2, command: script('chaos', '--provider', 'all', '--kills', '20') },
};

/** A run takes less than this many seeds in a row. */
const SEEDS_OF_A_RUN = 100_000;
/** Runs of one campaign take similar times. */
const MARGIN = 1.5;
/** A run that takes this many times the minutes of its campaign hangs; a slow machine takes longer than planned. */
const HANGS = 4;

const SHARES = Object.values(CAMPAIGNS).reduce((sum, { share }) => sum + share, 0);

const options = new Command('campaigns')
  .description('Run the random tests with other seeds, for a limited time.')
  .option('--minutes <n>', 'at most, for all of them', countOption, 20)
  .option('--seed <s>', 'the first seed; default: a random one', countOption)
  .option('--once', 'no campaign again with another seed')
  .addOption(new Option('--only <name>', 'one of them').choices(Object.keys(CAMPAIGNS)))
  .parse()
  .opts<{ minutes: number; seed?: number; once?: true; only?: string }>();

const firstSeed = options.seed ?? 1 + Math.floor(Math.random() * 900_000_000);
console.log(`First seed: ${firstSeed}`);
for (const [name, campaign] of Object.entries(CAMPAIGNS)) {
  if (name === (options.only ?? name)) await repeat(name, campaign);
}

/** Runs it until a run fails, or until the next one might not end within the budget. */
async function repeat(name: string, campaign: Campaign): Promise<void> {
  const minutes = (options.minutes * campaign.share) / SHARES;
  const endsAtMs = performance.now() + minutes * 60_000;
  const limitMs = minutes * 60_000 * HANGS;
  let longestMs = 0;
  for (let seed = firstSeed; ; seed += SEEDS_OF_A_RUN) {
    if (longestMs * MARGIN > endsAtMs - performance.now()) return;
    const command = campaign.command(seed);
    const environment = campaign.environment?.(seed);
    const { exitCode, output, seconds } = await captured(command, { environment, limitMs });
    console.log(`${exitCode === 0 ? '✓' : '✗'} ${name}, seed ${seed}, ${seconds.toFixed(0)} s`);
    if (exitCode !== 0) {
      process.exitCode = 1;
      const set = Object.entries(environment ?? {}).map((entry) => entry.join('='));
      console.log(output);
      if (seconds * 1_000 >= limitMs)
        console.log(`It did not end in ${(minutes * HANGS).toFixed(1)} minutes.`);
      console.log(`Repeat it: ${[...set, ...command].join(' ')}`);
      return;
    }
    if (options.once) return;
    longestMs = Math.max(longestMs, seconds * 1_000);
  }
}
