import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { startInProcess } from '../support/in-process-service.ts';
import type { InProcessService } from '../support/in-process-service.ts';

const run = promisify(execFile);
const PAGE = path.resolve(import.meta.dirname, '../../docs/guide/header-signature.md');

let database: TestDatabase;
let running: InProcessService;
beforeAll(async () => {
  database = await createTestDatabase();
  running = await startInProcess(database.url);
  await running.demo().fund();
});
afterAll(async () => {
  await running.stop();
  await database.drop();
});

async function example(language: string): Promise<string> {
  const [, code] = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(
    await readFile(PAGE, 'utf8'),
  ) ?? [undefined, undefined];
  if (code === undefined) throw new Error(`the page has no ${language}`);
  return code;
}

test('the example with curl and openssl pays, and gets its first answer again', async () => {
  const script = (await example('sh')).replace('http://127.0.0.1:${PORT:-8080}', running.origin);
  const [first, again] = [await run('sh', ['-c', script]), await run('sh', ['-c', script])];
  expect(first.stdout).toContain('"ipay_reference"');
  expect(again.stdout).toBe(first.stdout);
});

test('the example for Node.js reads a balance', async () => {
  const program = ['--input-type=module', '-e', await example('js')];
  const { stdout } = await run(process.execPath, program, {
    env: { PATH: process.env['PATH'], BASE: running.origin },
  });
  expect(JSON.parse(stdout)).toMatchObject({ header_status: 200 });
});
