import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { useService } from '../support/use-service.ts';

const run = promisify(execFile);
const GUIDES = path.resolve(import.meta.dirname, '../../docs/guide');

const running = useService();
beforeAll(async () => {
  await running.demo().fund();
  await running.demo().accepted({ account: '254722000000', merchant_reference: 'order-1' });
});

test('every line of the guide is answered', async () => {
  const page = await readFile(path.join(GUIDES, 'self-service.md'), 'utf8');
  const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);
  const calls = blocks.flatMap((code) => code.match(/^call .*$/gm) ?? []);
  expect(calls.length).toBeGreaterThan(8);
  // A line of its own ends each answer: a file has several lines.
  const script = blocks.join('\n').replaceAll(/^(call .*)$/gm, '$1; echo ---');
  const { stdout } = await run('bash', ['-c', `. ./malipo.sh\n${script}`], {
    cwd: path.join(GUIDES, 'samples/shop'),
    env: { PATH: process.env['PATH'], MALIPO_URL: running.origin },
  });
  const answers = stdout.split('---\n').map((answer) => answer.trim());
  expect(answers).toHaveLength(calls.length + 1);
  for (const [index, call] of calls.entries()) {
    expect([call, answers[index]]).toEqual([call, expect.not.stringContaining('"error":{')]);
    expect([call, answers[index]]).toEqual([call, expect.stringMatching(/\S/)]);
  }
});
