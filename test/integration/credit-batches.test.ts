import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestDatabase } from '../support/cluster.ts';
import { fresh } from '../support/demo-vendors.ts';
import { createServiceDatabase, startInProcess } from '../support/in-process-service.ts';
import type { InProcessService } from '../support/in-process-service.ts';
import { until } from '../support/until.ts';
import { VendorClient, encode, send, signed } from '../support/vendor-client.ts';
import type { Answer, Params } from '../support/vendor-client.ts';

const MISSES_PER_HOUR = 3;

let database: TestDatabase;
let running: InProcessService;

beforeAll(async () => {
  database = await createServiceDatabase();
  running = await startInProcess(database.url, {
    environment: { CREDIT_MISSES_PER_HOUR: String(MISSES_PER_HOUR) },
  });
});

afterAll(async () => {
  await running.stop();
  await database.drop();
});

const reference = (): string => fresh('R').replaceAll('-', '');

interface Row {
  readonly requestReference: string;
  readonly [name: string]: string;
}

function csvOf(rows: readonly Row[]): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = rows.map((row) => names.map((name) => row[name] ?? '').join(','));
  return `${[names.join(','), ...lines].join('\n')}\n`;
}

async function upload(vendor: VendorClient, file: string, more: Params = {}): Promise<Answer> {
  const params = {
    vid: vendor.vid,
    batchReference: fresh('batch'),
    product: 'generic-score',
    reportReason: '2',
    reportSector: '2',
    sha256: createHash('sha256').update(file).digest('hex'),
    ...more,
  };
  return await send(running.origin, {
    ...encode('/batch-score', signed(params, vendor.key), 'query'),
    headers: { 'content-type': 'text/csv' },
    body: file,
  });
}

async function ask(vendor: VendorClient, path: string, params: Params): Promise<Answer> {
  const all = signed({ vid: vendor.vid, ...params }, vendor.key);
  return await send(running.origin, encode(path, all, 'json'));
}

interface Result {
  readonly row: number;
  readonly requestReference: string | null;
  readonly result: string;
  readonly score: string | null;
  readonly code: string | null;
  readonly field: string | null;
}

/** Uploads rows, waits for the end, and returns the results. */
async function score(vendor: VendorClient, rows: readonly Row[]): Promise<Result[]> {
  const batchReference = fresh('batch');
  const accepted = await upload(vendor, csvOf(rows), { batchReference });
  expect({ status: accepted.status, text: accepted.text }).toMatchObject({ status: 200 });
  return await until('the batch is done', async () => {
    const { body } = await ask(vendor, '/batch-score/result', { batchReference });
    const { msg, data } = body as unknown as { msg: { batchStatus: string }; data: Result[] };
    return msg.batchStatus === 'DONE' ? data : undefined;
  });
}

const PEOPLE = [1, 2, 3, 4, 5].map((number) => ({
  nationalID: `90000000${number}`,
  name1: 'Amani',
  name2: 'Baraka',
}));

test('each row is the enquiry that the single operation would make, answered byte for byte', async () => {
  const batching = await running.addVendor({ sector: 'bank' });
  const single = await running.addVendor({ sector: 'bank' });
  const rows = PEOPLE.map((person) => ({ requestReference: reference(), ...person }));
  const results = await score(batching, rows);
  expect(results.map(({ result }) => result)).toEqual(rows.map(() => 'ANSWERED'));
  for (const [index, row] of rows.entries()) {
    const params = { ...row, reportReason: '2', reportSector: '2' };
    // The stored answer of the batch, and another vendor's answer from the single operation.
    const repeated = await ask(batching, '/generic-score', params);
    const fromSingle = await ask(single, '/generic-score', params);
    expect(repeated.status).toBe(200);
    // The first vendor's application counts for the second one's score.
    const {
      score: first,
      summary: a,
      ...stored
    } = repeated.body as unknown as Record<string, unknown>;
    const {
      score: _second,
      summary: b,
      ...made
    } = fromSingle.body as unknown as Record<string, unknown>;
    expect(made).toEqual(stored);
    expect(Object.keys(a as object)).toEqual(Object.keys(b as object));
    const { positiveScore } = first as { positiveScore: string };
    const card = positiveScore !== '' && {
      scorecard: 'malipo-generic@3',
      scorecardIsExample: 'true',
    };
    expect(results[index]).toMatchObject({ score: positiveScore, nameDiffers: 'false', ...card });
  }
});

test('only a row that is wrong, unknown or repeated is refused', async () => {
  const vendor = await running.addVendor();
  const twice = reference();
  const [known] = PEOPLE;
  const results = await score(vendor, [
    { requestReference: twice, ...known },
    { requestReference: twice, ...known },
    { requestReference: twice, ...PEOPLE[2] },
    { requestReference: reference(), ...known, nationalID: '999999999' },
    { requestReference: reference(), ...known, name1: 'Juma', name2: 'Otieno' },
    { requestReference: reference(), name1: 'Amani', name2: 'Baraka' },
    { requestReference: reference(), ...known, dateOfBirth: '1984-02-30' },
    { requestReference: 'no-hyphens', ...known },
  ]);
  expect(results.map(({ result, code, field }) => [result, code, field])).toEqual([
    ['ANSWERED', null, null],
    ['ANSWERED', null, null],
    ['REFUSED', 'reference_reused', 'requestReference'],
    ['REFUSED', 'subject_not_found', null],
    ['REFUSED', 'subject_mismatch', null],
    ['REFUSED', 'missing_field', 'nationalID'],
    ['REFUSED', 'invalid_field', 'dateOfBirth'],
    ['REFUSED', 'invalid_field', 'requestReference'],
  ]);
  expect(results[0]?.score).toBe(results[1]?.score);
});

test('a strict vendor cannot use a file to guess documents', async () => {
  const vendor = await running.addVendor({ enquiryPolicy: 'strict' });
  const consent = { consentReference: 'C1', consentDate: '2020-11-01' };
  const hit = { ...PEOPLE[0], ...consent } as Record<string, string>;
  const guess = { ...hit, nationalID: '999999999' };
  const wrongNames = { ...hit, name1: 'Juma', name2: 'Otieno' };
  const without = { ...PEOPLE[0] } as Record<string, string>;
  const rows = [hit, without, guess, wrongNames, guess, hit, guess].map((row) => ({
    requestReference: reference(),
    ...row,
  }));
  const results = await score(vendor, rows);
  expect(results.map(({ result, code }) => code ?? result)).toEqual([
    'ANSWERED',
    'missing_field',
    // A wrong name looks like an unknown document.
    'subject_not_found',
    'subject_not_found',
    'subject_not_found',
    // After the misses of an hour, a hit is refused like a miss.
    'too_many_requests',
    'too_many_requests',
  ]);
  const single = await ask(vendor, '/generic-score', {
    ...hit,
    requestReference: reference(),
    reportReason: '2',
    reportSector: '2',
  });
  expect(single.status).toBe(429);
});

test('several batches at once do not exceed the misses that a strict vendor may have', async () => {
  const vendor = await running.addVendor({ enquiryPolicy: 'strict' });
  const guesses = (): Row[] =>
    Array.from({ length: 20 }, (_, at) => ({
      requestReference: reference(),
      nationalID: String(999_999_900 + at),
      name1: 'Amani',
      name2: 'Baraka',
      consentReference: 'C1',
      consentDate: '2020-11-01',
    }));
  const results = await Promise.all([1, 2, 3, 4].map(async () => await score(vendor, guesses())));
  const codes = results.flat().map(({ code }) => code);
  expect(codes.filter((code) => code === 'subject_not_found')).toHaveLength(MISSES_PER_HOUR);
  expect(codes.filter((code) => code === 'too_many_requests')).toHaveLength(80 - MISSES_PER_HOUR);
});

test('only the row that fails for an internal reason is refused', async () => {
  const vendor = await running.addVendor();
  const rows = Array.from({ length: 300 }, (_, index) => ({
    requestReference: reference(),
    ...PEOPLE[index === 270 ? 4 : index % 3],
  }));
  const crn = 1_000_005;
  const sealed = `select sealed from subjects where crn = ${crn}`;
  const before = await running.service.pool.query<{ sealed: Buffer }>(sealed);
  await database.asOwner(
    `update subjects set sealed = set_byte(sealed, 40, 255 - get_byte(sealed, 40)) where crn = ${crn}`,
  );
  const results = await score(vendor, rows);
  await database.asOwner(
    `update subjects set sealed = '\\x${before.rows[0]?.sealed.toString('hex') ?? ''}' where crn = ${crn}`,
  );
  expect(results.map(({ result }) => result)).toEqual(
    rows.map((_, index) => (index === 270 ? 'REFUSED' : 'ANSWERED')),
  );
  expect(results[270]).toMatchObject({ code: 'internal_error', field: null });
});

test('a batch is one file of one vendor, and is processed once', async () => {
  const vendor = await running.addVendor();
  const other = await running.addVendor();
  const batchReference = fresh('batch');
  const file = csvOf([{ requestReference: reference(), ...PEOPLE[0] }]);
  const first = await upload(vendor, file, { batchReference });
  const again = await upload(vendor, file, { batchReference });
  const batchId = (answer: Answer): unknown => (answer.body['msg'] as { batchId: unknown }).batchId;
  expect(batchId(again)).toBe(batchId(first));
  for (const changed of [
    await upload(vendor, `${file}\n${reference()},Amani,Baraka,900000003\n`, { batchReference }),
    await upload(vendor, file, { batchReference, product: 'mobile-loan-score' }),
  ]) {
    expect(changed).toMatchObject({
      status: 409,
      body: { error: [{ code: 'reference_reused', field: 'batchReference' }] },
    });
  }
  for (const path of ['/batch-score/status', '/batch-score/result']) {
    expect(await ask(other, path, { batchReference })).toMatchObject({
      status: 404,
      body: { error: [{ code: 'unknown_batch' }] },
    });
  }
  // In the name of another vendor with a key of this one, or for another operation.
  const forged = new VendorClient(running.origin, { vid: vendor.vid, key: other.key });
  const notSigned = { status: 401, body: { error: [{ code: 'signature_invalid' }] } };
  expect(await upload(forged, file)).toMatchObject(notSigned);
  for (const path of ['/batch-score/status', '/batch-score/result']) {
    expect(await ask(forged, path, { batchReference })).toMatchObject(notSigned);
  }
  const absorbed = `${batchReference}&product=generic-score&reportReason=2`;
  expect(await ask(vendor, '/batch-score/status', { batchReference: absorbed })).toMatchObject({
    status: 400,
    body: { error: [{ code: 'ambiguous_value', field: 'batchReference' }] },
  });
  const tampered = await upload(vendor, file, { sha256: 'a'.repeat(64) });
  expect(tampered).toMatchObject({ status: 400, body: { error: [{ code: 'file_mismatch' }] } });
});

test('names and documents are erased from a batch when its last row is answered', async () => {
  const vendor = await running.addVendor();
  const batchReference = fresh('batch');
  const file = csvOf([{ requestReference: reference(), ...PEOPLE[0] }]);
  await upload(vendor, file, { batchReference });
  await until('the batch has ended', async () => {
    const read = await running.service.pool.query(
      `select sealed_content is null as erased, next_row from batches
       where batch_reference = $1 and ended_at is not null`,
      [batchReference],
    );
    return read.rows[0]?.erased === true ? true : undefined;
  });
});

test('a batch that a process abandoned is continued where it was', async () => {
  const vendor = await running.addVendor();
  const rows = Array.from({ length: 600 }, (_, index) => ({
    requestReference: reference(),
    ...PEOPLE[index % PEOPLE.length],
  }));
  const batchReference = fresh('batch');
  const second = await startInProcess(database.url);
  try {
    await upload(vendor, csvOf(rows), { batchReference });
    const results = await until('the batch is done', async () => {
      // The process that works on it keeps losing its lease.
      await running.service.pool.query(
        'update batches set leased_until = now() where batch_reference = $1',
        [batchReference],
      );
      const { body } = await ask(vendor, '/batch-score/result', { batchReference });
      const { msg, data } = body as unknown as {
        msg: { batchStatus: string; answered: number };
        data: Result[];
      };
      return msg.batchStatus === 'DONE' && msg.answered === rows.length ? data : undefined;
    });
    expect(results.map((one) => one.requestReference)).toEqual(
      rows.map((one) => one.requestReference),
    );
    const recorded = await running.service.pool.query(
      `select count(*)::integer as count, count(distinct request_reference)::integer as different
       from enquiries e join vendors v using (vendor_id) where v.vid = $1`,
      [vendor.vid],
    );
    expect(recorded.rows).toEqual([{ count: rows.length, different: rows.length }]);
  } finally {
    await second.stop();
  }
});
