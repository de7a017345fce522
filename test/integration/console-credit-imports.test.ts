import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type {
  CreditImportAnswer,
  CreditImportsAnswer,
  ImportTrialAnswer,
} from '../../src/console/credit-answers.ts';
import { listAudit } from '../../src/parties/people/audit-store.ts';
import { createTestDatabase } from '../support/cluster.ts';
import { ConsoleClient } from '../support/console-client.ts';
import type { ConsoleAnswer } from '../support/console-client.ts';
import { csvOf, rightLine } from '../support/credit-files.ts';
import { startInProcess } from '../support/in-process-service.ts';
import type { InProcessService } from '../support/in-process-service.ts';

let running: InProcessService;
let risk: ConsoleClient;
let admin: ConsoleClient;

beforeAll(async () => {
  running = await startInProcess((await createTestDatabase()).url);
  [risk, admin] = [new ConsoleClient(running.origin), new ConsoleClient(running.origin)];
  await risk.signIn('risk');
  await admin.signIn('admin');
});
afterAll(async () => {
  await running.stop();
});

const ABOUT = {
  fileName: 'october.csv',
  lender: 'CONSOLE_BANK',
  sector: 'bank',
  template: 'mobile',
  asOf: '2026-10-31',
  corrects: false,
};
const CONTENT = csvOf([
  rightLine(1),
  rightLine(2, { Gender: 'SECRET', Surname: '' }),
  rightLine(3),
]);

const trial = async (content = CONTENT, change: object = {}): Promise<ConsoleAnswer> =>
  await risk.send('POST', '/credit/imports/trial', { ...ABOUT, content, ...change });
const submit = async (content: string, sha256: string): Promise<ConsoleAnswer> =>
  await risk.send('POST', '/credit/imports', { ...ABOUT, content, sha256, reason: 'monthly file' });
const fieldOf = ({ body }: ConsoleAnswer): string | undefined =>
  (body['error'] as { field?: string }[])[0]?.field;

test('a file is tried, then imported exactly as it was tried, and its findings are read', async () => {
  const tried = (await trial()).body as unknown as ImportTrialAnswer;
  expect(tried).toMatchObject({
    sha256: createHash('sha256').update(CONTENT).digest('hex'),
    counts: { records: 3, accountsAdded: 2, rejected: 1 },
    findingCount: 2,
    findings: [
      { line: 3, field: 'Gender', rule: 'code' },
      { line: 3, field: 'Surname', rule: 'required' },
    ],
  });
  const none = (await risk.get('/credit/imports')).body as unknown as CreditImportsAnswer;
  expect(none.imports).toEqual([]);

  // Nobody imports what was not tried.
  const other = await submit(`${CONTENT}\n`, tried.sha256);
  expect(fieldOf(other)).toBe('content');
  const done = await submit(CONTENT, tried.sha256);
  const importId = String(done.body['importId']);
  const listed = (await admin.get('/credit/imports')).body as unknown as CreditImportsAnswer;
  expect(listed).toMatchObject({
    imports: [{ importId, fileName: 'october.csv', by: 'risk', counts: tried.counts }],
    next: null,
  });
  const answer = await admin.get(`/credit/imports/${importId}`);
  const shown = answer.body as unknown as CreditImportAnswer;
  expect(shown.findings).toEqual(tried.findings);
  expect(answer.text).not.toContain('SECRET');

  const csv = await admin.get(`/credit/imports/${importId}/findings.csv`);
  expect(csv.headers.get('content-disposition')).toContain('"october.csv.errors.csv"');
  expect(csv.text.split('\r\n').map((line) => line.split(',').slice(0, 3).join())).toEqual([
    'line,field,rule',
    '3,Gender,code',
    '3,Surname,required',
    '',
  ]);
  const { pool } = running.service;
  expect(await listAudit(pool, { action: 'credit.import', limit: 5 })).toMatchObject([
    { login: 'risk', result: 'done', target: importId, reason: 'monthly file' },
    { login: 'risk', result: 'refused' },
  ]);
  expect(await listAudit(pool, { action: 'credit.import.trial', limit: 5 })).toHaveLength(1);
});

test('files are tried one at a time, so that they do not take all of the console’s connections', async () => {
  const registry = await running.service.pool.connect();
  let refused: ConsoleAnswer;
  await registry.query('begin');
  await registry.query('select from credit_registry for update');
  // The one that comes first waits for the registry.
  const trials = [trial(), trial()];
  try {
    refused = await Promise.race(trials);
  } finally {
    await registry.query('rollback');
    registry.release();
  }
  expect(refused).toMatchObject({ status: 429, code: 'too_many_requests' });
  const statuses = (await Promise.all(trials)).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([200, 429]));
  expect((await trial()).status).toBe(200);
});

test('findings are read page by page, also within one line', async () => {
  const lines = Array.from({ length: 40 }, (_, at) =>
    rightLine(100 + at, { Gender: 'X', Surname: '' }),
  );
  const content = csvOf(lines);
  const { sha256 } = (await trial(content)).body as unknown as ImportTrialAnswer;
  const importId = String((await submit(content, sha256)).body['importId']);
  const page = async (cursor: string): Promise<CreditImportAnswer> =>
    (await risk.get(`/credit/imports/${importId}?cursor=${encodeURIComponent(cursor)}`))
      .body as unknown as CreditImportAnswer;
  const first = (await risk.get(`/credit/imports/${importId}`))
    .body as unknown as CreditImportAnswer;
  const second = await page(first.next ?? '');
  expect([first.findings.length, second.findings.length, second.next]).toEqual([50, 30, null]);
  const keys = [...first.findings, ...second.findings].map(({ line, field }) => `${line} ${field}`);
  expect(new Set(keys).size).toBe(80);
});

test.each([
  [{ asOf: '2026-02-30' }, 'asOf'],
  [{ asOf: '2999-01-01' }, undefined],
  [{ lender: 'no spaces' }, 'lender'],
  [{ sector: 'farm' }, 'sector'],
  [{ template: 'mine' }, 'template'],
  [{ content: '' }, 'content'],
  [{ content: 'Surname,Name\n' }, undefined],
  // It is registered as a bank.
  [{ sector: 'sacco' }, undefined],
])('%j is refused', async (change, field) => {
  const answer = await trial(CONTENT, change);
  expect(answer).toMatchObject({ status: 400, code: 'invalid_field' });
  expect(fieldOf(answer)).toBe(field);
});

test('an import that does not exist', async () => {
  for (const path of ['', '/findings.csv']) {
    const id = '018f0000-0000-7000-8000-000000000000';
    expect((await risk.get(`/credit/imports/${id}${path}`)).status).toBe(404);
  }
});
