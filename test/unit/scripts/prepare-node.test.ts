import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NODE_OPTIONS } from '../../../scripts/node-options.ts';
import { makeTemporaryFolder, removeFolder } from '../../support/temporary.ts';

/** Says whether V8 has optimized a function that it called often, and ends once it has. */
const PROGRAM = `
  const OPTIMIZED = 1 << 4;
  const statusOf = new Function('called', 'return %GetOptimizationStatus(called)');
  const isOptimized = () => (statusOf(add) & OPTIMIZED) !== 0;
  let total = 0;
  function add(number) {
    for (let step = 0; step < 100; step += 1) total += number ^ step;
  }
  function work() {
    for (let call = 0; call < 10_000; call += 1) add(call);
  }
  for (let turn = 0; turn < 20; turn += 1) work();
  process.stdout.write(String(isOptimized()));
  setInterval(() => {
    work();
    if (isOptimized()) process.exit();
  }, 1);
  export {};
`;

/** The function is optimized while it is called, not by another thread some time later. */
const OBSERVED = ['--allow-natives-syntax', '--no-concurrent-recompilation'];

let folder: string;
beforeAll(async () => {
  folder = await makeTemporaryFolder();
  for (const name of ['src/main.ts', 'src/cli/malipo.ts']) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), PROGRAM);
  }
});
afterAll(async () => {
  await removeFolder(folder);
});

/** Runs it as our scripts run one of this name. */
function run(name: string): { stdout: string; stderr: string; status: number | null } {
  const options = [...OBSERVED, ...NODE_OPTIONS, path.join(folder, name)];
  return spawnSync(process.execPath, options, {
    env: { ...process.env, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' },
    encoding: 'utf8',
    timeout: 60_000,
  });
}

test('V8 optimizes code of a server only after its start, and the next start uses what was compiled', () => {
  const name = 'src/main.ts';
  expect(run(name)).toMatchObject({ stdout: 'false', status: 0 });
  expect(run(name).stderr).toContain(`${path.join(folder, name)} was accepted`);
});

test('V8 optimizes code of a command at once', () => {
  expect(run('src/cli/malipo.ts')).toMatchObject({ stdout: 'true', status: 0 });
});
