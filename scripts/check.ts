import { execFileSync, spawn } from 'node:child_process';
import os from 'node:os';

/**
 * `npm run check`: what must pass before a commit. As many steps run at once as there are cores. Prints the
 * output of each step that fails, and exits with 1 if one does.
 */

/** Scripts of `package.json`. Those that take longest come first. */
const SCRIPTS = ['types:program', 'types:pages', 'test:rules', 'dead', 'format:check'];

interface Step {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
}

const steps: Step[] = [
  ...SCRIPTS.map((script) => npm(script)),
  // Rules that need types take ten times as long, so only changed files are checked. `npm run lint` checks all.
  { name: 'lint', command: 'oxlint', args: ['--deny-warnings'] },
  ...lintOf(changedFiles()),
];

const failed: string[] = [];
await Promise.all(Array.from({ length: os.availableParallelism() }, async () => await work()));
if (failed.length > 0) {
  console.log(`Failed: ${failed.join(', ')}`);
  process.exit(1);
}

async function work(): Promise<void> {
  for (let step = steps.shift(); step !== undefined; step = steps.shift()) {
    const beganMs = performance.now();
    const { exitCode, output } = await run(step);
    const seconds = ((performance.now() - beganMs) / 1_000).toFixed(1);
    console.log(`${exitCode === 0 ? '✓' : '✗'} ${step.name}, ${seconds} s`);
    if (exitCode === 0) continue;
    failed.push(step.name);
    console.log(output);
  }
}

async function run({ command, args }: Step): Promise<{ exitCode: number; output: string }> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const parts: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => parts.push(part));
  const exitCode = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
  return { exitCode, output: Buffer.concat(parts).toString() };
}

function npm(script: string): Step {
  return { name: script, command: 'npm', args: ['run', '-s', script] };
}

function lintOf(files: readonly string[]): Step[] {
  if (files.length === 0) return [];
  const args = ['--type-aware', '--deny-warnings', ...files];
  return [{ name: `lint with types of ${files.length} changed files`, command: 'oxlint', args }];
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
