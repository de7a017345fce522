import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { Command } from 'commander';
import { countOption } from './count-option.ts';

/**
 * `npm run citus:test`: the integration and e2e suites and a chaos run on a Citus cluster. Ends with one
 * JSON line; exits with 1 when something failed. Without CITUS_URL nothing is run.
 */
const { kills, seed } = new Command('citus:test')
  .description(
    'Run the integration and e2e suites and a chaos run on a Citus cluster. CITUS_URL: the database of its coordinator, which is emptied. CITUS_CONTROL: a command that takes `start` and `kill-worker N`, 0 for the coordinator; without it there is no chaos run.',
  )
  .option('--kills <n>', 'how many kills in the chaos run', countOption, 30)
  .option('--seed <s>', 'of the chaos run', countOption, 1)
  .parse()
  .opts<{ kills: number; seed: number }>();

async function run(
  args: readonly string[],
  output: 'inherit' | 'pipe',
): Promise<[boolean, string]> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', output, 'inherit'] });
  const written = child.stdout === null ? Promise.resolve('') : text(child.stdout);
  const [code] = (await once(child, 'close')) as [number | null];
  return [code === 0, await written];
}

async function runSuites(): Promise<boolean> {
  const vitest = 'node_modules/vitest/vitest.mjs';
  const [passed] = await run(
    [vitest, 'run', '--project', 'database', 'test/integration', 'test/e2e'],
    'inherit',
  );
  return passed;
}

async function runChaos(): Promise<[boolean, Record<string, unknown>]> {
  const [passed, written] = await run(
    ['scripts/chaos.ts', '--kills', String(kills), '--seed', String(seed)],
    'pipe',
  );
  const line = written.trim().split('\n').at(-1) ?? '';
  return [passed, JSON.parse(line === '' ? '{}' : line) as Record<string, unknown>];
}

if ((process.env['CITUS_URL'] ?? '') === '') {
  process.stdout.write('Skipped: CITUS_URL names no cluster to test on.\n');
} else {
  const suites = await runSuites();
  const withChaos = (process.env['CITUS_CONTROL'] ?? '') !== '';
  const [calm, chaos] = withChaos ? await runChaos() : [true, {}];
  if (!suites || !calm) process.exitCode = 1;
  process.stdout.write(
    `${JSON.stringify({ suites: suites ? 'passed' : 'failed', chaos: withChaos ? chaos : 'skipped: no CITUS_CONTROL' })}\n`,
  );
}
