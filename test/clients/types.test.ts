import { execFile, spawnSync } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const PYTHON_CLIENT = path.resolve(import.meta.dirname, '../../clients/python');

/** Without a cache, so that nothing is written next to the client. */
const CHECK = ['--cache-dir', '/dev/null', '--no-error-summary'];
const hasMypy = spawnSync('mypy', ['--version'], { stdio: 'ignore', timeout: 60_000 }).status === 0;

test.skipIf(!hasMypy)(
  'the types of the Python client are complete and right (skipped where mypy is not found)',
  async () => {
    const { stdout } = await run('mypy', CHECK, { cwd: PYTHON_CLIENT }).catch(
      (error: unknown) => error as { readonly stdout: string },
    );
    expect(stdout).toBe('');
  },
  120_000,
);
