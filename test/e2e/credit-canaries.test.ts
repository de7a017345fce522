import { readFile, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { malipo } from '../integration/cli-support.ts';
import type { Ran } from '../integration/cli-support.ts';
import { TABLE_CLASSES } from '../../src/schema.ts';
import { CITUS_URL } from '../support/citus.ts';
import { csvOf, rightLine } from '../support/credit-files.ts';
import type { Line } from '../support/credit-files.ts';
import { SandboxFixture } from '../support/sandbox.ts';
import type { Sandbox } from '../support/sandbox.ts';
import { BODY_FORMS, VendorClient, encode, send, signed } from '../support/vendor-client.ts';
import type { Answer, OperationName, Params } from '../support/vendor-client.ts';

/** Personal data of a person on file, of a person who is only asked about, and of an account. */
const CANARIES = {
  surname: 'Zyxwanarqo',
  forename: 'Qvuxbirdel',
  nationalID: '918273645',
  phone: '799183746',
  passport: 'QZX7391846',
  account: 'ACCQZX5517',
  client: 'CLIQZX8826',
  address: 'Jvxroad',
  strangerName: 'Kqwyzzolin',
  strangerID: '927364518',
  strangerPhone: '788291637',
} as const;

const LENDER = 'LENDERWITHCANARIES';

const fixture = new SandboxFixture();
let sandbox: Sandbox;
let client: VendorClient;
let references = 0;
const spoken: string[] = [];

beforeAll(async () => {
  const dataDir = await fixture.folder();
  sandbox = await fixture.start({ dataDir, env: { LOG_LEVEL: 'trace' } });
  client = new VendorClient(sandbox.origin, { vid: 'demo', key: 'demo-security-key' });
});

afterAll(async () => await fixture.cleanUp());

async function command(...args: string[]): Promise<Ran> {
  return await malipo(sandbox.environment, ...args);
}

/** Imports a line for a day; the output of the command is searched later. */
async function importLine(line: Line, asOf: string, ...more: string[]): Promise<Ran> {
  const file = path.join(await fixture.folder(), 'loans.csv');
  await writeFile(file, csvOf([line], 'individual'));
  const ran = await command(
    ...['credit', 'import', file, '--template', 'individual', '--lender', LENDER],
    ...['--sector', 'bank', '--as-of', asOf, ...more],
  );
  spoken.push(ran.stdout, ran.stderr);
  if (ran.exitCode === 1) spoken.push(await readFile(`${file}.errors.csv`, 'utf8'));
  return ran;
}

function reference(): string {
  references += 1;
  return `Canary${references}`;
}

const RIGHT: Line = rightLine(1, {
  Surname: CANARIES.surname,
  Forename1: CANARIES.forename,
  Forename2: '',
  PrimaryIDNumber: CANARIES.nationalID,
  MobilePhone: `254${CANARIES.phone}`,
  AccountNumber: CANARIES.account,
  ClientNumber: CANARIES.client,
  PassportNumber: CANARIES.passport,
  PhysicalAddress: CANARIES.address,
});
const ABOUT: Params = {
  reportReason: '2',
  nationalID: CANARIES.nationalID,
  name1: CANARIES.forename,
  name2: CANARIES.surname,
  telephoneMobile: CANARIES.strangerPhone,
};

async function ask(operation: OperationName, params: Params): Promise<Answer> {
  return await client.call(operation, { ...ABOUT, requestReference: reference(), ...params });
}

async function refusalsOfEveryKind(): Promise<void> {
  const score = { reportSector: '2' };
  const stranger = { nationalID: CANARIES.strangerID, name1: CANARIES.strangerName };
  for (const params of [
    { ...score, ...stranger },
    { ...score, name1: CANARIES.strangerName, name2: 'Otieno' },
    { ...score, nationalID: `${CANARIES.nationalID}ABC` },
    { ...score, passportNo: 'SYNA0000001' },
    { ...score, name3: `${CANARIES.strangerName}9` },
    { ...score, reportReason: '13' },
    { ...score, requestReference: CANARIES.surname + '!' },
    { ...score, [`name5${CANARIES.surname}`]: '1' },
    { reportSector: CANARIES.nationalID },
  ]) {
    const refused = await ask('genericScore', params);
    expect(refused.status).not.toBe(200);
    // An answer may repeat a parameter name that the caller itself sent.
    if (!Object.keys(params).some((name) => name.startsWith('name5'))) spoken.push(refused.text);
  }
}

/** Requests that end before the signature check, with the personal text in every possible place. */
async function brokenRequests(): Promise<void> {
  const params = signed({ vid: 'demo', ...ABOUT, requestReference: 'Broken' }, 'wrong key');
  for (const form of BODY_FORMS) {
    const refused = await send(sandbox.origin, encode('/generic-score', params, form));
    expect(refused.status).not.toBe(200);
    // Only the sandbox repeats the request, and only to its sender: test/e2e/production.test.ts.
    const signedText = refused.body.error?.[0]?.signed_text ?? '';
    expect(found(Buffer.from(signedText))).toContain(CANARIES.surname);
    spoken.push(refused.text.replace(JSON.stringify(signedText), '""'));
  }
  const json = `{"nationalID":"${CANARIES.nationalID}","name1":{"x":"${CANARIES.surname}"}`;
  for (const request of [
    { method: 'POST', path: '/generic-score', body: json },
    { method: 'GET', path: `/generic-score?name1=${CANARIES.surname}` },
    { method: 'POST', path: `/nowhere/${CANARIES.nationalID}?name1=${CANARIES.surname}` },
    { method: 'POST', path: `/id-decision?name1=${CANARIES.surname}&name1=${CANARIES.forename}` },
  ]) {
    const headers = { 'content-type': 'application/json' };
    const refused = await send(sandbox.origin, { ...request, headers });
    expect(refused.status).not.toBe(200);
    spoken.push(refused.text);
  }
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((e) => path.join(e.parentPath, e.name));
}

/** Everything that is stored: the files; on a cluster, whose files are elsewhere, also the rows of each table. */
async function* readKept(): AsyncGenerator<{ readonly name: string; readonly bytes: Buffer }> {
  const pool = await sandbox.pool();
  if (CITUS_URL === undefined) await pool.query('checkpoint');
  for (const file of await filesBelow(sandbox.dataDir)) {
    // A file may have disappeared: the database recycles its files.
    const bytes = await readFile(file).catch(() => Buffer.alloc(0));
    yield { name: path.relative(sandbox.dataDir, file), bytes };
  }
  if (CITUS_URL === undefined) return;
  for (const name of Object.keys(TABLE_CLASSES)) {
    const read = await pool.query<{ row: string }>(`select t::text as row from ${name} t`);
    yield { name, bytes: Buffer.from(read.rows.map(({ row }) => row).join('\n')) };
  }
}

/** The canaries that the bytes contain, as text or as hexadecimal text. */
function found(bytes: Buffer): string[] {
  return Object.values(CANARIES).filter((canary) =>
    [canary, Buffer.from(canary).toString('hex'), Buffer.from(canary).toString('base64url')].some(
      (form) => bytes.includes(form),
    ),
  );
}

test('logs, metrics, refusals, reports and the database’s files contain no name, number or phone', async () => {
  expect((await importLine(RIGHT, '2026-10-31')).exitCode).toBe(0);
  expect((await importLine({ ...RIGHT, Gender: CANARIES.surname }, '2026-11-01')).exitCode).toBe(1);
  const corrected = { ...RIGHT, OriginalAmount: '14000' };
  expect((await importLine(corrected, '2026-10-31')).exitCode).toBe(1);
  expect((await importLine(corrected, '2026-10-31', '--correct', '--json')).exitCode).toBe(0);
  const other = { ...RIGHT, Surname: CANARIES.strangerName, Forename1: 'Juma' };
  const another = { ...other, PrimaryIDNumber: CANARIES.strangerID, PassportNumber: '' };
  expect((await importLine(another, '2026-11-01')).exitCode).toBe(1);

  for (const form of BODY_FORMS) {
    const asked = { ...ABOUT, requestReference: reference() };
    const answer = await client.call('idDecision', asked, form);
    // This also shows that the search works.
    expect(found(Buffer.from(answer.text))).toContain(CANARIES.surname);
  }
  for (const operation of ['genericScore', 'mobileLoanScore'] as const) {
    expect((await ask(operation, { reportSector: '2' })).text).toContain(CANARIES.phone);
  }
  await refusalsOfEveryKind();
  await brokenRequests();

  const metrics = await send(sandbox.origin, { method: 'GET', path: '/metrics' });
  const quiet = [await command('credit', 'verify-chain'), await command('credit', 'case', 'list')];
  const texts = [
    ...spoken,
    metrics.text,
    ...quiet.flatMap((ran) => [ran.stdout, ran.stderr]),
    sandbox.process.stdout,
    sandbox.process.stderr,
  ];
  expect(sandbox.process.stderr).toContain('"level":"info"');
  expect(texts.flatMap((text) => found(Buffer.from(text)))).toEqual([]);

  const withLender: string[] = [];
  for await (const { name, bytes } of readKept()) {
    if (bytes.includes(LENDER)) withLender.push(name);
    expect(found(bytes), name).toEqual([]);
  }
  // Text that is not secret is found in the clear, in a table and in the write-ahead log.
  for (const place of CITUS_URL === undefined ? ['/base/', 'pg_wal'] : ['lenders']) {
    expect(
      withLender.some((name) => name.includes(place)),
      place,
    ).toBe(true);
  }
}, 120_000);
