import { beforeAll, expect, test } from 'vitest';
import type {
  CreditImportList,
  ImportFindings,
  TriedImport,
} from '../../src/staff/credit-imports.ts';
import type { CreditProposal } from '../../src/staff/credit-proposals.ts';
import { listAudit } from '../../src/parties/people/read-audit.ts';
import { ConsoleClient } from '../support/console-client.ts';
import type { ConsoleAnswer } from '../support/console-client.ts';
import { csvOf, rightLine } from '../support/credit-files.ts';
import { useService } from '../support/use-service.ts';

const running = useService();
let risk: ConsoleClient;
let risk2: ConsoleClient;
let admin: ConsoleClient;

beforeAll(async () => {
  [risk, risk2, admin] = [client(), client(), client()];
  await risk.signIn('risk');
  await risk2.signIn('risk2');
  await admin.signIn('admin');
});

const client = (): ConsoleClient => new ConsoleClient(running.origin);

const ABOUT = {
  file: 'october.csv',
  lender: 'CONSOLE_BANK',
  sector: 'bank',
  template: 'mobile',
  as_of: '2026-10-31',
  corrects: 'false',
};
const CONTENT = csvOf([
  rightLine(1),
  rightLine(2, { Gender: 'SECRET', Nationality: 'KEN' }),
  rightLine(3),
]);

/** Sends a file; the rest is the query. */
const send = async (
  by: ConsoleClient,
  at: string,
  query: object,
  content: string,
): Promise<ConsoleAnswer> => {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(given as [string, string][]);
  return await by.send('POST', `${at}?${search.toString()}`, Buffer.from(content));
};
const trial = async (content = CONTENT, change: object = {}): Promise<ConsoleAnswer> =>
  await send(risk, '/credit/imports/trial', { ...ABOUT, ...change }, content);
const GROUNDS = { reason: 'monthly file', evidence: 'E-mail of 3 November' };
const propose = async (content: string): Promise<string> => {
  const query = { ...ABOUT, ...GROUNDS };
  const { code, body } = await send(risk, '/credit/proposals/import', query, content);
  expect(code).toBeUndefined();
  return String(body['proposal']);
};
const approve = async (id: string, content: string, by = risk2): Promise<ConsoleAnswer> =>
  await send(by, `/credit/proposals/${id}/import`, { seen: await seenBy(by, id) }, content);
/** Of the preview; undefined: it waits no longer, or this person may not see it. */
const seenBy = async (by: ConsoleClient, id: string): Promise<string | undefined> => {
  const { seen } = (await by.get(`/credit/proposals/${id}`))
    .body as unknown as Partial<CreditProposal>;
  return seen ?? undefined;
};
const fieldOf = ({ body }: ConsoleAnswer): string | undefined =>
  (body['error'] as { field?: string }[])[0]?.field;

test('a file is tried, proposed, and imported by another person exactly as it was tried', async () => {
  const tried = (await trial()).body as unknown as TriedImport;
  expect(tried).toMatchObject({
    ...{ records: 3, accounts_added: 2, rejected: 1 },
    finding_count: 2,
    findings: [
      { line: 3, field: 'Gender', rule: 'code' },
      { line: 3, field: 'Nationality', rule: 'country' },
    ],
  });
  const { amounts, form, findings: _findings, finding_count: _count, ...counts } = tried;
  expect({ amounts, form }).toEqual({
    ...{ amounts: 'shillings', form: 'values separated by commas, UTF-8' },
  });
  const none = (await risk.get('/credit/imports')).body as unknown as CreditImportList;
  expect(none.imports).toEqual([]);

  const id = await propose(CONTENT);
  const proposal = (await risk2.get(`/credit/proposals/${id}`)).body;
  expect(proposal).toMatchObject({
    is_own: false,
    content: { kind: 'import', file_name: 'october.csv', counts },
  });
  expect(JSON.stringify(proposal)).not.toContain('SECRET');
  // Not by who proposed it, not another file, not without the file, not by an administrator.
  expect((await approve(id, CONTENT, risk)).text).toContain('another person has to approve it');
  expect(fieldOf(await approve(id, `${CONTENT}\n`))).toBe('file');
  const unseen = await send(risk2, `/credit/proposals/${id}/import`, {}, CONTENT);
  expect(fieldOf(unseen)).toBe('seen');
  expect((await approve(id, CONTENT, admin)).code).toBe('not_permitted');
  expect((await risk.get('/credit/imports')).body).toMatchObject({ imports: [] });

  const done = await approve(id, CONTENT);
  const importId = String(done.body['import']);
  expect((await risk2.get(`/credit/proposals/${id}`)).body).toMatchObject({
    import: { import: importId, is_finished: true },
  });
  expect((await approve(id, CONTENT)).text).toContain('already approved by risk2');
  const listed = (await admin.get('/credit/imports')).body as unknown as CreditImportList;
  expect(listed).toMatchObject({
    imports: [{ import: importId, by: 'risk, approved by risk2', ...counts }],
    next: null,
  });
  expect((await admin.get(`/credit/imports/${importId}`)).body).toEqual(listed.imports[0]);
  const answer = await admin.get(`/credit/imports/${importId}/findings`);
  const shown = answer.body as unknown as ImportFindings;
  expect(shown.findings).toEqual(tried.findings);
  expect(answer.text).not.toContain('SECRET');

  const csv = await admin.get(`/credit/imports/${importId}/findings.csv`);
  expect(csv.text.split('\r\n').map((line) => line.split(',').slice(0, 3).join())).toEqual([
    'Line,Field,Rule',
    '3,Gender,code',
    '3,Nationality,country',
    '',
  ]);
  const { pool } = running.service;
  expect(await listAudit(pool, { action: 'credit-import.approve', limit: 5 })).toMatchObject([
    { login: 'risk2', result: 'refused' },
    { login: 'risk2', result: 'done', target: id, after: { import: importId } },
    ...Array.from({ length: 3 }, () => ({ result: 'refused' })),
  ]);
  expect(await listAudit(pool, { action: 'credit-import.try', limit: 5 })).toHaveLength(1);
});

test('an import that was interrupted after its approval continues with the same file', async () => {
  const content = csvOf([rightLine(50), rightLine(51)]);
  const id = await propose(content);
  const seen = await seenBy(risk2, id);
  expect((await risk2.send('POST', `/proposals/${id}/approve`, { seen })).status).toBe(200);
  expect((await risk2.get(`/credit/proposals/${id}`)).body).toMatchObject({ import: null });
  expect(fieldOf(await approve(id, `${content}\n`))).toBe('file');
  expect((await approve(id, content)).body).toMatchObject({ import: expect.any(String) });
  expect((await approve(id, content)).status).toBe(400);
});

test('nothing is proposed of a file without a record that can be imported', async () => {
  const content = csvOf([rightLine(1, { Gender: 'X' })]);
  const asked = { ...ABOUT, ...GROUNDS };
  const answer = await send(risk, '/credit/proposals/import', asked, content);
  expect(fieldOf(answer)).toBe('file');
  for (const [name, value] of [
    ['evidence', ''],
    ['reason', ''],
    ['as_of', '2026-02-30'],
    ['sha256', 'f'.repeat(64)],
  ] as const) {
    const query = { ...asked, [name]: value };
    const refused = await send(risk, '/credit/proposals/import', query, CONTENT);
    expect([name, fieldOf(refused)]).toEqual([name, name]);
  }
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
    rightLine(100 + at, { Gender: 'X', Nationality: 'KEN' }),
  );
  lines.push(rightLine(140));
  const importId = String(
    (await approve(await propose(csvOf(lines)), csvOf(lines))).body['import'],
  );
  const path = `/credit/imports/${importId}/findings?limit=50`;
  const page = async (cursor: string): Promise<ImportFindings> =>
    (await risk.get(`${path}&cursor=${encodeURIComponent(cursor)}`))
      .body as unknown as ImportFindings;
  const first = (await risk.get(path)).body as unknown as ImportFindings;
  const second = await page(first.next ?? '');
  expect([first.findings.length, second.findings.length, second.next]).toEqual([50, 30, null]);
  const keys = [...first.findings, ...second.findings].map(({ line, field }) => `${line} ${field}`);
  expect(new Set(keys).size).toBe(80);
});

test.each([
  [{ as_of: '2026-02-30' }, 'as_of'],
  [{ as_of: '2999-01-01' }, undefined],
  [{ lender: 'no spaces' }, 'lender'],
  [{ sector: 'farm' }, 'sector'],
  [{ template: 'mine' }, 'template'],
  [{}, 'file', 'Surname,Name\n'],
  // It is registered as a bank.
  [{ sector: 'sacco' }, undefined],
] as const)('%j is refused', async (change, field, content: string = CONTENT) => {
  const answer = await trial(content, change);
  expect(answer).toMatchObject({ status: 400, code: 'invalid_field' });
  expect(fieldOf(answer)).toBe(field);
});

test('an import that does not exist', async () => {
  for (const path of ['', '/findings', '/findings.csv']) {
    const id = '018f0000-0000-7000-8000-000000000000';
    expect((await risk.get(`/credit/imports/${id}${path}`)).status).toBe(404);
  }
});
