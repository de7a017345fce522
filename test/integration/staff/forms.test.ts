import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Type } from 'typebox';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listAudit } from '../../../src/parties/people/read-audit.ts';
import { createWireTime, systemClock } from '../../../src/platform/base/clock.ts';
import { createPool } from '../../../src/platform/db/pool.ts';
import type { Pool } from '../../../src/platform/db/pool.ts';
import type { LongReads } from '../../../src/platform/base/long-reads.ts';
import { SCHEMA } from '../../../src/schema.ts';
import { createCursors } from '../../../src/platform/http/cursors.ts';
import { action, download, view } from '../../../src/staff/definition.ts';
import type { Definition } from '../../../src/staff/definition.ts';
import { requireFile } from '../../../src/staff/deps.ts';
import { inputOf, line, paging, text as textField } from '../../../src/staff/fields.ts';
import { fileOf } from '../../../src/staff/files.ts';
import { answerOf, httpRoutesOf, NotedFile } from '../../../src/staff/http.ts';
import type { By } from '../../../src/staff/perform.ts';
import { ALL_OF_STAFF } from '../../../src/staff/viewer.ts';
import { createTestDatabase } from '../../support/cluster.ts';
import type { TestDatabase } from '../../support/cluster.ts';

// The forms of what is no JSON, with definitions that exist only here.

let database: TestDatabase;
let pool: Pool;
let by: By;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.url, max: 2, name: 'test' });
  const none = (): Promise<never> => Promise.reject(new Error('not needed'));
  by = {
    viewer: {
      ...{ personId: null, login: 'Asha', role: null, vendor: undefined, token: null },
      ...{ permissions: ALL_OF_STAFF, actor: { personId: null, name: 'Asha' } },
    },
    deps: {
      ...{ pool, clock: systemClock, wireTime: createWireTime('UTC'), timeZone: 'UTC' },
      ...{
        publicUrl: 'https://pay.example.com',
        consoleUrl: 'https://pay.example.com/console',
        masterKeys: none,
        ledgerMac: none,
        findLedgerMac: none,
        schema: SCHEMA,
        proposals: none,
        catalogue: none,
        overview: none,
        activity: none,
        credit: none,
        create: none,
      },
    },
    ...{ channel: 'api', address: '192.0.2.1', requestId: 'one' },
  };
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const core = async () => ({ read: async (file: string) => await readFile(file, 'utf8') });
const source = line(20, { description: 'the source' });
const cursors = createCursors({ current: Buffer.alloc(32, 1), previous: undefined }, 'tests');
const ask = async (of: Definition, asked: { query?: object; body?: unknown }) => {
  const [route] = httpRoutesOf([of]);
  if (route === undefined) throw new Error('there is no route');
  return await answerOf(route, { params: {}, query: {}, body: {}, ...asked }, by, cursors);
};

const sent = action(core, {
  ...{ name: 'sample.import', summary: 'Import.', route: 'POST /samples', permission: 'home.read' },
  input: inputOf({ source }),
  output: Type.Object({ name: textField(), content: textField() }),
  file: { name: 'file', description: 'the file', maxBytes: 100 },
  handle: async ({ core: { read }, input, deps }) => {
    const file = requireFile(deps);
    const result = { name: `${input.source} ${file.name}`, content: await read(file.path) };
    return { result, audit: { after: { file: file.name } } };
  },
});

test('a file that is sent has its name in the query, is read as a file, and is gone afterwards', async () => {
  const query = { source: 'kcb', file: '../day.csv' };
  const answer = await ask(sent, { query, body: Buffer.from('a,b') });
  expect(answer).toEqual({ name: 'kcb day.csv', content: 'a,b' });
  const [entry] = await listAudit(pool, { action: 'sample.import', limit: 2 });
  expect(entry).toMatchObject({ result: 'done', after: { file: 'day.csv' } });
  await expect(ask(sent, { query, body: Buffer.alloc(0) })).rejects.toMatchObject({
    ...{ code: 'missing_field', field: 'file' },
  });
});

test('a list in the query of a file has one parameter for each item', async () => {
  const of = action(core, {
    ...{ name: 'sample.take', summary: 'Take.', route: 'POST /samples', permission: 'home.read' },
    input: inputOf({
      lines: Type.Optional(Type.Array(Type.Integer(), { description: 'lines' })),
    }),
    output: Type.Object({ lines: Type.Array(Type.Integer()) }),
    file: { name: 'file', description: 'the file', maxBytes: 100 },
    handle: async ({ input: { lines = [] } }) => ({ result: { lines }, audit: {} }),
  });
  const body = Buffer.from('a,b');
  expect(await ask(of, { query: { lines: ['3', '14'] }, body })).toEqual({ lines: [3, 14] });
  expect(await ask(of, { query: { lines: '3' }, body })).toEqual({ lines: [3] });
  await expect(ask(of, { query: { lines: 'x' }, body })).rejects.toMatchObject({
    ...{ code: 'invalid_field', field: 'lines' },
  });
});

test.each([[''], ['a\0b'], ['a\nb'], ['x'.repeat(201)], [['a', 'b']]])(
  'a file that is called %j is refused before it is noted',
  async (file) => {
    const query = { source: 'kcb', file };
    await expect(ask(sent, { query, body: Buffer.from('a,b') })).rejects.toMatchObject({
      ...{ code: 'invalid_field', field: 'file' },
    });
    expect(await listAudit(pool, { action: 'sample.import', limit: 9 })).toHaveLength(1);
  },
);

test('a file that is made is in the audit log with its length, also one that fails', async () => {
  const made = (chunks: Iterable<string>) =>
    download(core, {
      ...{ name: 'sample.statement', summary: 'A statement.', route: 'GET /samples/statement' },
      permission: 'home.read',
      input: inputOf({ source }),
      handle: async () => ({ name: 'a.txt', type: 'text/plain', body: Readable.from(chunks) }),
    });
  const good = await ask(made(['ab', 'c']), { query: { source: 'kcb' } });
  if (!(good instanceof NotedFile)) throw new Error('it is no file');
  expect(await text(good.file.body)).toBe('abc');
  const broken = function* (): Generator<string> {
    yield 'ab';
    throw new Error('the database is gone');
  };
  const bad = await ask(made(broken()), { query: { source: 'kcb' } });
  if (!(bad instanceof NotedFile)) throw new Error('it is no file');
  await expect(text(bad.file.body)).rejects.toThrow('gone');
  expect(await listAudit(pool, { action: 'sample.export', limit: 3 })).toMatchObject([
    { result: 'failed', after: { bytes: 2 } },
    { result: 'done', after: { bytes: 3 }, filter: { source: 'kcb' } },
  ]);
});

test('a file is read in turns of 100 rows, of which only the first is refused, and a field named __proto__ is none', async () => {
  const turns: (boolean | undefined)[] = [];
  const limits: number[] = [];
  const longReads: LongReads = async ({ isNeverRefused }, read) => {
    turns.push(isNeverRefused);
    return await read();
  };
  const listed = view(core, {
    ...{ name: 'sample.list', summary: 'Samples.', route: 'GET /samples', rows: 'rows' },
    ...{ permission: 'home.read', input: inputOf(paging(1)) },
    output: Type.Object({ rows: Type.Array(Type.Object({ name: textField({ title: 'Name' }) })) }),
    handle: async ({ input: { cursor, limit } }) => {
      limits.push(limit);
      return {
        rows: [{ name: cursor ?? 'first' }],
        next: cursor === undefined ? 'second' : null,
      };
    },
  });
  const reader = { ...by, deps: { ...by.deps, longReads } };
  const file = await fileOf(listed, { limit: '\0' }, reader, { format: 'csv' });
  expect(await text(file.body)).toBe('\ufeffName\r\nfirst\r\nsecond\r\n');
  expect(turns).toEqual([false, true]);
  expect(limits).toEqual([100, 100]);
  const query: unknown = JSON.parse('{"__proto__":{"limit":2}}');
  await expect(ask(listed, { query: query as object })).rejects.toMatchObject({
    code: 'unknown_field',
  });
});

test('a look that is noted has an entry, and its personal data is in the body', async () => {
  const noted = view(core, {
    ...{ name: 'sample.look', summary: 'Look.', route: 'POST /samples/look' },
    ...{ permission: 'home.read', isNoted: true, input: inputOf({ source }) },
    output: Type.Object({ found: Type.Boolean() }),
    handle: async () => ({ found: true }),
  });
  expect(await ask(noted, { body: { source: '0722000001' } })).toEqual({ found: true });
  await expect(ask(noted, { query: { source: 'x' }, body: { source: 'x' } })).rejects.toMatchObject(
    {
      code: 'ambiguous_request',
    },
  );
  expect(await listAudit(pool, { action: 'sample.look', limit: 2 })).toMatchObject([
    { result: 'done', login: 'command line', reason: 'Asha' },
  ]);
});
