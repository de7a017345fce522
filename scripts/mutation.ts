import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Command } from 'commander';
import { installOnDemand } from './install-on-demand.ts';

/**
 * `npm run mutation`: mutates the modules that money and security depend on, one change at a time, and
 * runs their tests against each mutant. Ends with one JSON line; exits with 1 if fewer than 85 of 100
 * mutants were detected.
 */

const MODULES = [
  'src/platform/base/money.ts',
  'src/platform/base/canonical.ts',
  'src/platform/base/sealing.ts',
  'src/platform/base/ids.ts',
  'src/platform/base/token-buckets.ts',
  'src/parties/signature.ts',
  'src/parties/header-signature.ts',
  'src/payments/dispatch/next-step.ts',
  'src/payments/create/payment.ts',
  'src/payments/create/create-rules.ts',
];
const MIN_SCORE = 85;

const options = new Command('mutation')
  .description('Mutate the core modules, and count the mutants that the tests detect.')
  .option('--only <text>', 'only modules whose path has this in it', '')
  .option('--survivors', 'list the mutants that no test detected')
  .parse()
  .opts<{ only: string; survivors?: true }>();

/** The part of Stryker's result that is used here. */
interface Mutant {
  readonly status: string;
  readonly fileName: string;
  readonly location: { readonly start: { readonly line: number } };
  readonly mutatorName: string;
  readonly replacement: string;
}

interface MutationTest {
  runMutationTest(): Promise<Mutant[]>;
}

const packages = path.join(import.meta.dirname, 'mutation');
await installOnDemand(packages);
const { Stryker } = (await import(path.join(packages, 'stryker.mjs'))) as {
  Stryker: new (options: object) => MutationTest;
};

const folder = await mkdtemp(path.join(os.tmpdir(), 'malipo-mutation-'));
const stryker = new Stryker({
  mutate: MODULES.filter((module) => module.includes(options.only)),
  testRunner: 'vitest',
  plugins: [path.join(packages, 'node_modules/@stryker-mutator/vitest-runner/dist/src/index.js')],
  vitest: { configFile: 'scripts/mutation/vitest.config.ts', related: false },
  coverageAnalysis: 'perTest',
  concurrency: 2,
  reporters: [],
  tempDirName: path.join(folder, 'sandbox'),
  // A missing file: Stryker rewrites a configuration with TypeScript's JavaScript API, which version 7 lacks.
  tsconfigFile: 'none.json',
  ignorePatterns: ['bench', 'docs', 'deploy', '.data', 'fuzz-crashes'],
  allowConsoleColors: false,
});
try {
  const results = await stryker.runMutationTest();
  const judged = results.filter(({ status }) => status !== 'CompileError' && status !== 'Ignored');
  const killed = judged.filter(({ status }) => status === 'Killed' || status === 'Timeout');
  const score = (100 * killed.length) / judged.length;
  const files: Record<string, { mutants: number; killed: number }> = {};
  for (const { fileName, status } of judged) {
    const file = (files[path.relative(process.cwd(), fileName)] ??= { mutants: 0, killed: 0 });
    file.mutants += 1;
    if (status === 'Killed' || status === 'Timeout') file.killed += 1;
  }
  if (options.survivors) await tellSurvivors(judged.filter((one) => !killed.includes(one)));
  if (!(score >= MIN_SCORE)) process.exitCode = 1;
  const rounded = Math.round(score * 100) / 100;
  process.stdout.write(
    `${JSON.stringify({ mutants: judged.length, killed: killed.length, score: rounded, files })}\n`,
  );
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function tellSurvivors(survivors: readonly Mutant[]): Promise<void> {
  for (const { fileName, location, replacement, mutatorName } of survivors) {
    const { line } = location.start;
    const source = (await readFile(fileName, 'utf8')).split('\n')[line - 1]?.trim();
    const file = path.relative(process.cwd(), fileName);
    process.stderr.write(`${file}:${line} ${mutatorName}\n  ${source}\n  → ${replacement}\n`);
  }
}
