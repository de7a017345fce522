import { execFileSync } from 'node:child_process';
import os from 'node:os';
import { captured } from './captured.ts';
import { installTools, withTools } from './tools/tools.ts';

/**
 * `npm run check`: what must pass before a commit. As many steps run at once as there are cores. Prints the
 * output of each step that fails, and exits with 1 if one does.
 */

/** Scripts of `package.json`. Those that take longest come first. */
const SCRIPTS = ['types:program', 'types:pages', 'test:rules', 'dead', 'format:check'];

interface Step {
  readonly name: string;
  readonly command: readonly string[];
}

const steps: Step[] = [
  ...SCRIPTS.map((script) => npm(script)),
  // Rules that need types take ten times as long, so only changed files are checked. `npm run lint` checks all.
  { name: 'lint', command: ['oxlint', '--deny-warnings'] },
  ...lintOf(changedFiles()),
];

const failed: string[] = [];
await installTools();
const environment = withTools();
await Promise.all(Array.from({ length: os.availableParallelism() }, async () => await work()));
if (failed.length > 0) {
  console.log(`Failed: ${failed.join(', ')}`);
  process.exit(1);
}

async function work(): Promise<void> {
  for (let step = steps.shift(); step !== undefined; step = steps.shift()) {
    const { exitCode, output, seconds } = await captured(step.command, { environment });
    console.log(`${exitCode === 0 ? '✓' : '✗'} ${step.name}, ${seconds.toFixed(1)} s`);
    if (exitCode === 0) continue;
    failed.push(step.name);
    console.log(output);
  }
}

function npm(script: string): Step {
  return { name: script, command: ['npm', 'run', '-s', script] };
}

function lintOf(files: readonly string[]): Step[] {
  if (files.length === 0) return [];
  const command = ['oxlint', '--type-aware', '--deny-warnings', ...files];
  return [{ name: `lint with types of ${files.length} changed files`, command }];
}

/** Lists files that differ from the last commit; none without git. */
function changedFiles(): string[] {
  const listed = [
    ['diff', '--name-only', '--diff-filter=d', 'HEAD'],
    ['ls-files', '--others', '--exclude-standard'],
  ].flatMap((args) => linesOf(args));
  return listed.filter((file) => /\.(?:ts|tsx|mts|js|mjs)$/.test(file));
}

function linesOf(args: readonly string[]): string[] {
  try {
    return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
      .split('\n')
      .filter((line) => line !== '');
  } catch {
    return [];
  }
}
