import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NODE_OPTIONS } from '../../../scripts/node-options.ts';
import { makeTemporaryFolder, removeFolder } from '../../support/temporary.ts';

let folder: string;
beforeAll(async () => {
  folder = await makeTemporaryFolder();
});
afterAll(async () => {
  await removeFolder(folder);
});

/** Says whether V8 optimized its function at once, and kills itself when it has. */
const PROGRAM = `
  const OPTIMIZED = 1 << 4;
  const isOptimized = () => (%GetOptimizationStatus(add) & OPTIMIZED) !== 0;
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
    if (isOptimized()) process.kill(process.pid, 'SIGKILL');
  }, 1);
`;

test('V8 optimizes code only after a start, and the next start uses what was compiled', () => {
  const program = path.join(folder, 'program.mjs');
  writeFileSync(program, PROGRAM);
  const run = (): { stdout: string; stderr: string; signal: string | null } =>
    spawnSync(process.execPath, ['--allow-natives-syntax', ...NODE_OPTIONS, program], {
      env: { ...process.env, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' },
      encoding: 'utf8',
      timeout: 60_000,
      killSignal: 'SIGTERM',
    });
  const first = run();
  expect({ stdout: first.stdout, signal: first.signal }).toEqual({
    stdout: 'false',
    signal: 'SIGKILL',
  });
  const cached = `for ESM ${pathToFileURL(program).href} was accepted`;
  expect(first.stderr).not.toContain(cached);
  expect(run().stderr).toContain(cached);
});
