import { mkdtempSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { DEMO_PASSWORD } from '../../../sandbox/data.ts';
import { listAudit } from '../../../src/parties/people/read-audit.ts';
import { DEMO_STAFF_TOKEN } from '../../../src/parties/people/tokens.ts';
import { createTestDatabase } from '../../support/cluster.ts';
import type { TestDatabase } from '../../support/cluster.ts';
import { startInProcess } from '../../support/in-process-service.ts';
import type { InProcessService } from '../../support/in-process-service.ts';
import { inProcess, malipo, must, newMasterKey, withInput } from '../cli-support.ts';

// The same commands with a service and with a database.

let database: TestDatabase;
let running: InProcessService;
let local: Record<string, string>;
let remote: Record<string, string>;

beforeAll(async () => {
  database = await createTestDatabase();
  const masterKey = newMasterKey();
  const options = { masterKey: Buffer.from(masterKey, 'base64') };
  running = await startInProcess(database.url, options);
  local = { DATABASE_URL: database.url, MASTER_KEY: masterKey };
  remote = { MALIPO_URL: running.origin, MALIPO_TOKEN: DEMO_STAFF_TOKEN };
});
afterAll(async () => {
  await running.stop();
  await database.drop();
});

const PROPOSE = [
  ...['house', 'journal', 'propose', '--debit', 'suspense=5.00', '--credit', 'income:other=5.00'],
  ...['--note', 'why', '--evidence', 'file'],
];

test('a command proposes over HTTP, and lists print the same as with the database', async () => {
  const made = await must(remote, ...PROPOSE, '--reference', 'R-1', '--json');
  expect(made.json()).toMatchObject({ proposed_by: `admin (${DEMO_STAFF_TOKEN})`, amount: '5.00' });
  for (const more of [[], ['--json'], ['--all', '--wide'], ['--csv']]) {
    const words = ['house', 'journal', 'list', ...more];
    expect((await must(remote, ...words)).stdout).toBe((await must(local, ...words)).stdout);
  }
});

test.each([
  [['--reference', 'R-2', '--debit', 'suspense'], 2],
  [['--reference', 'R-1'], 1],
  [['--reference', 'R-2', '--at', '2199-01-01'], 1],
  [['--reference', ' ', '--at', 'never'], 1],
  [['--reference', ''], 2],
])('%j is refused in the same words and with the same exit code', async (more, exitCode) => {
  const [far, near] = [
    await inProcess(remote, ...PROPOSE, ...more),
    await inProcess(local, ...PROPOSE, ...more, '--by', 'Asha'),
  ];
  expect(far).toMatchObject({ exitCode, stderr: near.stderr });
  expect(near.exitCode).toBe(exitCode);
});

test('a command says who acted with which token; one in process says that it was a command', async () => {
  await must(local, ...PROPOSE, '--reference', 'R-3', '--by', 'Asha');
  const entries = await listAudit(running.service.pool, { action: 'journal.propose', limit: 99 });
  expect(entries[0]).toMatchObject({
    ...{ login: 'command line', channel: 'command', reason: 'Asha: why', token: null },
  });
  expect(entries).toContainEqual(
    expect.objectContaining({ channel: 'api', login: 'admin', token: DEMO_STAFF_TOKEN }),
  );
});

test('what needs the machine says so, and a token of nobody is refused', async () => {
  const pay = ['pay', '--vid', 'demo', '--biller', 'dstv'];
  for (const words of [
    ...[['backup', '/tmp/x'], ['demo-data', 'list'], ['migrate'], pay],
    ...[
      ['credit', 'rotate-keys'],
      ['archive', '--before', '2026-01-01'],
      ['quarantine', 'enter', '--since', '2026-01-05', '--reason', 'restored'],
    ],
  ]) {
    const refused = await inProcess(remote, ...words);
    expect(refused).toMatchObject({ exitCode: 1 });
    expect(refused.stderr).toContain('only on the machine of the service');
  }
  const nobody = { ...remote, MALIPO_TOKEN: 'nobody' };
  expect((await inProcess(nobody, 'token', 'list')).stderr).toContain('not_signed_in');
  const { MALIPO_URL = '' } = remote;
  expect((await inProcess({ MALIPO_URL }, 'token', 'list')).stderr).toContain('MALIPO_TOKEN');
  const away = { ...remote, MALIPO_URL: 'http://127.0.0.1:9' };
  expect((await inProcess(away, 'token', 'list')).stderr).toContain('cannot be reached');
  const open = { ...remote, MALIPO_URL: 'http://pay.example.com' };
  expect((await inProcess(open, 'token', 'list')).stderr).toContain('https:');
});

test('a job is begun by its command, which waits for the result or shows the job', async () => {
  await must(local, 'ledger', 'chain');
  const near = await must(local, 'ledger', 'check', '--json');
  const far = await must(remote, 'ledger', 'check', '--json');
  expect(far.json()).toMatchObject({ violations: 0, authenticated: true });
  expect(Object.keys(far.json<object>())).toEqual(Object.keys(near.json<object>()));
  const missing = ['--head', '0'.repeat(64), '--json'];
  expect(await malipo(remote, 'ledger', 'check', ...missing)).toMatchObject({ exitCode: 1 });
  const begun = await must(remote, 'ledger', 'check', '--no-wait', '--json');
  const { job } = begun.json<{ job: string }>();
  await vi.waitFor(
    async () => {
      const shown = await must(remote, 'job', 'show', job, '--json');
      expect(shown.json()).toMatchObject({ state: 'done', result: { violations: 0 } });
    },
    { timeout: 20_000 },
  );
  const { jobs } = (await must(remote, 'job', 'list', '--json')).json<{ jobs: object[] }>();
  expect(jobs).toMatchObject([
    { job, state: 'done' },
    { name: 'ledger.check', state: 'failed', error: null },
    { name: 'ledger.check', state: 'done' },
    { name: 'ledger.check', state: 'done', started_by: 'command line' },
    { name: 'ledger.chain' },
  ]);
});

test('--by must be the person of the token', async () => {
  const other = await inProcess(remote, ...PROPOSE, '--reference', 'R-4', '--by', 'finance');
  expect(other.stderr).toContain('--by');
});

test('login keeps a person’s token in a file that only its owner can read', async () => {
  const home = mkdtempSync(path.join(os.tmpdir(), 'malipo-home-'));
  const environment = { XDG_CONFIG_HOME: home };
  const words = ['login', 'finance', '--url', running.origin, '--json'];
  const done = await withInput(`${DEMO_PASSWORD}\n\n`, environment, ...words);
  const { file } = done.json<{ file: string }>();
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(done.stdout).not.toContain(DEMO_PASSWORD);
  const made = await must(environment, ...PROPOSE, '--reference', 'R-5', '--json');
  expect(made.json()).toMatchObject({ proposed_by: 'finance' });
  await must(environment, 'logout');
  const after = await inProcess({ ...environment, DATA_DIR: home }, 'token', 'list');
  expect(after.stderr).toContain('There is no database');
});

test('a token is made on the machine of the service, and used from elsewhere', async () => {
  const words = [
    'token',
    'add',
    'crm',
    '--role',
    'finance',
    '--scope',
    'finance.read',
    ...['--by', 'admin', '--json'],
  ];
  const { token } = (await must(local, ...words)).json<{ token: string }>();
  const crm = { ...remote, MALIPO_TOKEN: token };
  expect((await must(crm, 'vendor', 'payout', 'list')).exitCode).toBe(0);
  expect((await inProcess(crm, 'token', 'list')).stderr).toContain('not_permitted');
  await must(local, 'token', 'revoke', 'crm', '--by', 'admin');
  expect((await inProcess(crm, 'vendor', 'payout', 'list')).exitCode).toBe(1);
});

test('the real program asks a service without a database or a key', async () => {
  const listed = await malipo(remote, 'house', 'journal', 'list', '--json');
  expect(listed).toMatchObject({ exitCode: 0, stderr: '' });
});

test('work with files alone asks no service', async () => {
  const none = ['credit', 'apply-card', 'none.json', 'none.csv', '--out', 'new.csv'];
  const there = await inProcess({ ...remote, MALIPO_URL: 'http://127.0.0.1:9' }, ...none);
  expect(there.stderr).toContain('File none.json does not exist');
});
