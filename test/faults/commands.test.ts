import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import type { CrashPoint } from '../../src/platform/base/crash-points.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import { checkLedger } from '../../src/payments/audit/check.ts';
import { inProcess, must, newMasterKey, approvalOf } from '../integration/cli-support.ts';
import { EmbeddedFixture } from '../integration/embedded-support.ts';
import { createInstructed, openBooks, OPERATOR } from '../support/money-fixture.ts';
import { newPayment } from '../support/new-transaction.ts';
import { NODE_OPTIONS } from '../../scripts/node-options.ts';
import { databaseTime, statementText } from '../support/reconciliation-fixture.ts';
import { until } from '../support/until.ts';

// Commands that a person runs, killed in the middle.

const fixture = new EmbeddedFixture();
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  await fixture.cleanUpAll();
});

const ENTRY = path.resolve(import.meta.dirname, '../../src/cli/malipo.ts');

/** Runs the real command until it kills itself at the point. */
async function killedAt(
  point: CrashPoint,
  environment: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<void> {
  const child = spawn(
    process.execPath,
    [...NODE_OPTIONS, '--conditions=crash-points', ENTRY, ...args],
    {
      env: { PATH: process.env['PATH'], ...environment, CRASH_AT: point },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
}

test('a killed backup is not accepted as a backup, and the server is not affected', async () => {
  const environment = { DATA_DIR: await fixture.folder(), MASTER_KEY: newMasterKey() };
  await must(environment, 'migrate');
  const server = await fixture.start(path.join(environment.DATA_DIR, 'postgres'));
  const pool = createPool({ url: server.url, max: 1, name: 'test' });
  cleanups.push(async () => await pool.end());
  const folder = path.join(await fixture.folder(), 'backup');
  await killedAt('backup:before-manifest', environment, 'backup', folder);

  // Everything is there except the manifest.
  expect(await readdir(path.join(folder, 'data'))).toContain('backup_label');
  const verified = await inProcess({}, 'backup', 'verify', folder);
  expect(verified.exitCode).toBe(1);
  expect(verified.stderr).toContain('not finished');
  const target = path.join(await fixture.folder(), 'new');
  const restored = await inProcess(environment, 'restore', folder, '--data-dir', target);
  expect(restored.exitCode).toBe(1);
  expect(restored.stderr).toContain('not finished');
  expect(await readdir(target).catch(() => [])).toEqual([]);
  const again = await inProcess(environment, 'backup', folder);
  expect(again.stderr).toContain('is not empty');

  await until('its slot is gone', async () => {
    return (await pool.query('select from pg_replication_slots')).rowCount === 0;
  });
  expect((await pool.query('select backup_id from backups')).rows).toEqual([]);
  const next = path.join(await fixture.folder(), 'backup');
  await must(environment, 'backup', next);
  await must({}, 'backup', 'verify', next);
});

test.each(['SIGINT', 'SIGTERM'] as const)(
  'a backup that is stopped by %s removes what it wrote',
  async (signal) => {
    const environment = { DATA_DIR: await fixture.folder(), MASTER_KEY: newMasterKey() };
    await must(environment, 'migrate');
    const folder = path.join(await fixture.folder(), 'backup');
    const child = spawn(process.execPath, [...NODE_OPTIONS, ENTRY, 'backup', folder], {
      env: { PATH: process.env['PATH'], ...environment },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const [said] = await Promise.all([
      text(child.stderr),
      once(child, 'exit'),
      until('it copies', async () => (await readdir(path.join(folder, 'data'))).length > 0).then(
        () => child.kill(signal),
      ),
    ]);
    expect(said).toBe('error: The command was stopped.\n');
    expect(child.exitCode).toBe(1);
    await must(environment, 'backup', folder);
  },
);

test.each([
  { point: 'statement:before-commit', repeated: false },
  { point: 'statement:after-commit', repeated: true },
] as const)(
  'a statement whose import is killed ($point) is imported completely or not at all, and can be imported again',
  async ({ point, repeated }) => {
    const books = await openBooks();
    cleanups.push(async () => await books.close());
    await books.pool.query("update operators set connector = 'http-json'");
    const vendorId = await books.addVendor(1_000_000n);
    const sent = [newPayment({ vendorId }), newPayment({ vendorId })];
    await createInstructed(books.pool, sent);
    const to = await databaseTime(books);
    const from = new Date(Number(to) - 3_600_000);
    const file = path.join(await fixture.folder(), 'statement.csv');
    const lines = [...sent.map((of) => ({ of })), { amountCents: 5_000n }];
    await writeFile(file, statementText(lines, { from, to }));
    const environment = { DATABASE_URL: books.url, MASTER_KEY: newMasterKey() };
    const period = ['--from', from.toISOString(), '--to', to.toISOString()];
    const args = ['statement', 'import', file, '--operator', OPERATOR, ...period];
    const count = async (what: string): Promise<number> =>
      (await books.pool.query(`select 1 from ${what}`)).rowCount ?? 0;
    const written = async (): Promise<readonly number[]> => [
      await count('operator_statements'),
      await count('statement_rows'),
      await count('cases'),
      await count("payments where outcome = 'success'"),
    ];

    await killedAt(point, environment, ...(await approvalOf(environment, args)));
    expect(await written()).toEqual(repeated ? [1, 3, 1, 2] : [0, 0, 0, 0]);
    expect((await checkLedger(books.pool)).violations).toEqual([]);

    if (repeated) {
      const again = await must(environment, ...args, '--by', 'Asha', '--json');
      expect(again.json()).toMatchObject({ proposal: null, statement: expect.any(String) });
    } else {
      const { proposals } = (await must(environment, 'proposal', 'list', '--json')).json<{
        proposals: { proposal: string }[];
      }>();
      const [id = ''] = proposals.map(({ proposal }) => proposal);
      const { seen } = (await must(environment, 'proposal', 'show', id, '--json')).json<{
        seen: string;
      }>();
      await must(environment, 'proposal', 'approve', id, '--by', 'Baraka', '--seen', seen);
    }
    expect(await written()).toEqual([1, 3, 1, 2]);
    expect((await checkLedger(books.pool)).violations).toEqual([]);
  },
);
