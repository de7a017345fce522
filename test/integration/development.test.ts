import { spawn } from 'node:child_process';
import { mkdtemp, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startOperators } from '../../sandbox/operators-process.ts';
import { NODE_OPTIONS } from '../../scripts/node-options.ts';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';

describe('npm run dev', () => {
  it('starts the simulated operators although Node reports what each program loads', async () => {
    vi.stubEnv('WATCH_REPORT_DEPENDENCIES', '1');
    const operators = await startOperators({
      port: 0,
      folder: await mkdtemp(path.join(tmpdir(), 'malipo-operators-')),
      providersCallBack: undefined,
      onUnexpectedExit: () => {},
    });
    vi.unstubAllEnvs();
    await operators.stop();
    expect(operators.origin).toMatch(/:\d+$/);
  });
});

describe('npm run psql', () => {
  let database: TestDatabase;
  beforeAll(async () => (database = await createTestDatabase()));
  afterAll(async () => await database.drop());

  it('runs statement after statement where psql is not installed', async () => {
    const bin = await mkdtemp(path.join(tmpdir(), 'malipo-bin-'));
    await symlink(process.execPath, path.join(bin, 'node'));
    const shell = spawn(process.execPath, [...NODE_OPTIONS, 'scripts/psql.ts'], {
      env: { PATH: bin, DATABASE_URL: database.url, DATABASE_OWNER_URL: database.ownerUrl },
    });
    shell.stdin.end("select 1 as a,\n'x' as b;\nselect nope;\nselect 2 as c;\n");
    expect(await text(shell.stdout)).toMatch(/a +b\n1 +x\n+column "nope" does not exist\nc\n2\n/);
  });
});
