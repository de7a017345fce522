import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { inProcess } from './cli-support.ts';

const run = promisify(execFile);

let script: string;
beforeAll(async () => {
  const printed = await inProcess({}, 'completion', 'bash');
  expect(printed).toMatchObject({ exitCode: 0, stderr: '' });
  script = printed.stdout;
});

/** What bash offers after these words, the last of which is being typed. */
async function offered(...words: string[]): Promise<string[]> {
  const typed = ['malipo', ...words].map((word) => `'${word}'`).join(' ');
  const asks = `COMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _malipo; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await run('bash', ['-c', `${script}\n${asks}`]);
  return stdout.split('\n').filter((line) => line !== '');
}

describe('completion in bash', () => {
  test.each([
    [['paym'], ['payment']],
    [['payment', 'f'], ['find']],
    [
      ['vendor', 'top-up', 'pu'],
      ['push', 'push-off'],
    ],
    [['payment', 'list', '--st'], ['--status']],
    [
      ['payment', 'list', '--status', ''],
      ['QUEUED', 'PENDING', 'SUCCESS', 'FAILED'],
    ],
    [['payment', 'find', '254722000001', '--me'], []],
    [['payment', 'find', '254722000001', '--op'], ['--operator']],
    [['quarantine', 'st'], ['status']],
    [['nothing-like-it', 'x'], []],
  ])('%j is completed with %j', async (words, expected) => {
    expect(await offered(...words)).toEqual(expected);
  });
});

test('the script for zsh loads what bash’s script needs', async () => {
  const { stdout } = await inProcess({}, 'completion', 'zsh');
  expect(stdout).toContain('bashcompinit');
  expect(stdout.endsWith(script)).toBe(true);
});

test('another shell is refused', async () => {
  const refused = await inProcess({}, 'completion', 'fish');
  expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
  expect(refused.stderr).toContain('Allowed choices are bash, zsh');
});
