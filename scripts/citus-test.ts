import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { Command } from 'commander';
import { startVitest } from 'vitest/node';
import { CITUS_URLS, NOT_ON_CITUS } from '../test/citus-exceptions.ts';
import { SuiteReport } from './citus-report.ts';
import { countOption } from './count-option.ts';

/**
 * `npm run citus:test`: the integration and e2e suites and a chaos run on a Citus cluster. Writes the
 * result of each file to stderr when it ends. Ends with one JSON line; exits with 1 if a test failed.
 * Without CITUS_URL nothing is run.
 */
const command = new Command('citus:test')
  .description(
    'Run the integration and e2e suites and a chaos run on a Citus cluster. CITUS_URL: a database of its coordinator, or several, separated by spaces, which are emptied: as many test files run at a time. CITUS_CONTROL: a command that takes `start` and `kill-worker N`, 0 for the coordinator; without it there is no chaos run.',
  )
  .argument('[files...]', 'only these test files, and no chaos run')
  .option('--kills <n>', 'how many kills in the chaos run', countOption, 30)
  .option('--seed <s>', 'of the chaos run', countOption, 1)
  .parse();
const { kills, seed } = command.opts<{ kills: number; seed: number }>();
const files = command.args;

async function runSuites(): Promise<SuiteReport> {
  const report = new SuiteReport((line) => process.stderr.write(`${line}\n`));
  const vitest = await startVitest(
    'test',
    files.length > 0 ? files : ['test/integration', 'test/e2e'],
    {
      project: 'database',
      watch: false,
      reporters: [report],
    },
  );
  await vitest.close();
  return report;
}

async function runChaos(): Promise<{ readonly passed: boolean; readonly result: unknown }> {
  const child = spawn(
    process.execPath,
    ['scripts/chaos.ts', '--kills', String(kills), '--seed', String(seed)],
    { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, CITUS_URL: CITUS_URLS[0] } },
  );
  const [written, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  const line = written.trim().split('\n').at(-1) ?? '';
  return { passed: code === 0, result: line === '' ? 'failed' : JSON.parse(line) };
}

function reasonForNoChaos(): string | undefined {
  if (files.length > 0) return 'only some files were asked for';
  return (process.env['CITUS_CONTROL'] ?? '') === '' ? 'no CITUS_CONTROL' : undefined;
}

if (CITUS_URLS.length === 0) {
  process.stdout.write('Skipped: CITUS_URL names no cluster to test on.\n');
} else {
  const startedAt = performance.now();
  const suites = await runSuites();
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  const noChaos = reasonForNoChaos();
  const chaos = noChaos === undefined ? await runChaos() : undefined;
  process.exitCode = suites.passed && chaos?.passed !== false ? 0 : 1;
  process.stdout.write(
    `${JSON.stringify({
      ...suites.summary(),
      not_run: files.length > 0 ? {} : NOT_ON_CITUS,
      seconds,
      chaos: chaos?.result ?? `skipped: ${noChaos}`,
    })}\n`,
  );
}
