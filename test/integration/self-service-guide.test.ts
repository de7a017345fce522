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
const PAGE = path.resolve(import.meta.dirname, '../../docs/guide/self-service.md');

let database: TestDatabase;
let running: InProcessService;
beforeAll(async () => {
  database = await createTestDatabase();
  running = await startInProcess(database.url);
  await running.demo().fund();
  await running.demo().accepted({ account: '254722000000', merchant_reference: 'order-1' });
});
afterAll(async () => {
  await running.stop();
  await database.drop();
});

test('every line of the guide is answered', async () => {
  const page = await readFile(PAGE, 'utf8');
  const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);
  const calls = blocks.flatMap((code) => code.match(/^call .*$/gm) ?? []);
  expect(calls.length).toBeGreaterThan(8);
  const script = blocks.join('\n').replace('http://127.0.0.1:${PORT:-8080}', running.origin);
  // A line of its own ends each answer: a file has several lines.
  const { stdout } = await run('sh', ['-c', script.replaceAll(/^(call .*)$/gm, '$1; echo ---')]);
  const answers = stdout.split('---\n').map((answer) => answer.trim());
  expect(answers).toHaveLength(calls.length + 1);
  for (const [index, call] of calls.entries()) {
    expect([call, answers[index]]).toEqual([call, expect.not.stringContaining('"error":{')]);
    expect([call, answers[index]]).toEqual([call, expect.stringMatching(/\S/)]);
  }
});
