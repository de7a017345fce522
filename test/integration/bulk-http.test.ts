import { createHash, createHmac, randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/platform/base/ids.ts';
import { LIMITS } from '../../src/platform/base/limits.ts';
import { checkLedger } from '../../src/payments/audit/check.ts';
import { enterQuarantine } from '../../src/payments/quarantine/enter.ts';
import { fresh } from '../support/demo-vendors.ts';
import { useService } from '../support/use-service.ts';
import { until } from '../support/until.ts';
import { send, signed } from '../support/vendor-client.ts';
import type { Answer, VendorClient, WireRequest } from '../support/vendor-client.ts';

const PATH = '/transaction/bulk';

const running = useService();
let vendor: VendorClient;

beforeAll(async () => {
  vendor = running.demo();
  await vendor.fund();
});

afterAll(async () => {
  expect((await checkLedger(running.service.pool)).violations).toEqual([]);
});

function sha256(file: string | Buffer): string {
  return createHash('sha256').update(file).digest('hex');
}

function target(path: string, params: Readonly<Record<string, string>>, by = vendor): string {
  const query = signed({ vid: by.vid, ...params }, by.key) as Record<string, string>;
  return `${path}?${new URLSearchParams(query).toString()}`;
}

interface Upload {
  readonly contentType?: string;
  readonly batchReference?: string;
  readonly sha256?: string;
  readonly body?: string | Buffer;
  readonly by?: VendorClient;
}

async function upload(file: string | Buffer, options: Upload = {}): Promise<Answer> {
  const { contentType = 'text/csv', batchReference = fresh('batch'), by = vendor } = options;
  const params = { batch_reference: batchReference, sha256: options.sha256 ?? sha256(file) };
  return await send(running.origin, {
    method: 'POST',
    path: target(PATH, params, by),
    headers: { 'content-type': contentType },
    body: options.body ?? file,
  });
}

async function ask(what: 'status' | 'result', params: Record<string, string>, by = vendor) {
  return await send(running.origin, { method: 'GET', path: target(`${PATH}/${what}`, params, by) });
}

interface Row {
  readonly row: number;
  readonly merchant_reference: string | null;
  readonly result: string;
  readonly ipay_reference: string | null;
  readonly code: string | null;
  readonly field: string | null;
  readonly text: string | null;
}

/** Uploads, waits for the end, and returns the rows' results. */
async function decided(file: string, options: Upload = {}): Promise<readonly Row[]> {
  const batchReference = options.batchReference ?? fresh('batch');
  const taken = await upload(file, { ...options, batchReference });
  expect([taken.status, taken.text]).toEqual([200, expect.any(String)]);
  await until('the batch is done', async () => {
    const answer = await ask('status', { batch_reference: batchReference });
    return answer.body.msg['batch_status'] === 'DONE';
  });
  const answer = await ask('result', { batch_reference: batchReference });
  return answer.body.data as readonly Row[];
}

function refusalOf(answer: Answer): readonly unknown[] {
  const [error] = answer.body.error ?? [];
  return [answer.status, error?.code, error?.field];
}

test('takes CSV: columns in any order, quoted values, a byte order mark, CRLF', async () => {
  const first = fresh('csv');
  const second = fresh('csv');
  const rows = await decided(
    `\ufeffamount,biller_name,merchant_reference,account,phone\r\n` +
      `60.00,gotv,${first},2012345678,254722000000\r\n` +
      `"60","gotv","${second}","20 ""x""","254722000000"\r\n` +
      `5,safaricom,,254722000001,\r\n`,
  );
  expect(rows).toMatchObject([
    { row: 1, result: 'ACCEPTED', merchant_reference: first, code: null },
    {
      row: 2,
      result: 'REFUSED',
      merchant_reference: second,
      code: 'invalid_field',
      field: 'account',
    },
    { row: 3, result: 'ACCEPTED', merchant_reference: null },
  ]);
  const reference = rows[0]?.ipay_reference ?? '';
  expect(await vendor.payment(reference)).toMatchObject({ account: '2012345678', amount: 60 });
  // The same reference in a single create is the same payment.
  const single = {
    biller_name: 'gotv',
    amount: '60',
    account: '2012345678',
    phone: '254722000000',
  };
  expect(await vendor.accepted({ ...single, merchant_reference: first })).toBe(reference);
});

test('takes JSON Lines, and refuses only the broken rows', async () => {
  const rows = await decided(
    [
      '{"biller_name":"safaricom","amount":10.50,"account":"254722000002"}',
      '',
      'not json',
      '{"biller_name":"safaricom","amount":"10","account":"254722000003","vid":"demo2"}',
      '{"biller_name":"safaricom","amount":1e2,"account":"254722000004"}',
      '{"biller_name":"safaricom","amount":"10"}',
      '{"biller_name":"safaricom","amount":"10","account":{"a":1},"merchant_reference":"x"}',
    ].join('\n'),
    { contentType: 'application/x-ndjson' },
  );
  expect(rows.map((row) => [row.row, row.result, row.code, row.field])).toEqual([
    [1, 'ACCEPTED', null, null],
    [2, 'REFUSED', 'malformed_request', null],
    [3, 'REFUSED', 'unknown_field', 'vid'],
    [4, 'REFUSED', 'invalid_field', 'amount'],
    [5, 'REFUSED', 'missing_field', 'account'],
    [6, 'REFUSED', 'nested_value', 'account'],
  ]);
});

test('takes a file in a form, as curl -F sends it', async () => {
  const file = 'biller_name,amount,account\nsafaricom,10,254722000005\n';
  const body =
    `--xyz\r\nContent-Disposition: form-data; name="file"; filename="airtime.csv"\r\n` +
    `Content-Type: application/octet-stream\r\n\r\n${file}\r\n--xyz--\r\n`;
  const form = { contentType: 'multipart/form-data; boundary=xyz' };
  expect((await upload(file, { ...form, body })).status).toBe(200);
  const other = body.replace('name="file"', 'name="files"');
  expect(refusalOf(await upload(file, { ...form, body: other }))).toEqual([
    400,
    'unknown_field',
    'files',
  ]);
  const nameless = body.replace('airtime.csv', 'airtime.xlsx');
  expect(refusalOf(await upload(file, { ...form, body: nameless }))).toEqual([
    415,
    'unsupported_media_type',
    undefined,
  ]);
});

test('answers with the batch; a repeat gets the same batch, another file is refused', async () => {
  const file = `biller_name,amount,account\nsafaricom,10,254722000006\n`;
  const batchReference = fresh('batch');
  const first = await upload(file, { batchReference });
  expect(first.body).toMatchObject({
    header_status: 200,
    msg: { status: 1, batch_reference: batchReference, sha256: sha256(file), rows: 1 },
  });
  await until('it is done', async () => {
    const answer = await ask('status', { batch_reference: batchReference });
    return answer.body.msg['batch_status'] === 'DONE';
  });
  const balance = await vendor.balance();
  const again = await upload(file, { batchReference });
  expect(again.body.msg).toMatchObject({
    batch_id: first.body.msg['batch_id'],
    batch_status: 'DONE',
    accepted: 1,
  });
  expect(await vendor.balance()).toBe(balance);
  const other = await upload(`${file}safaricom,11,254722000007\n`, { batchReference });
  expect(refusalOf(other)).toEqual([409, 'reference_reused', 'batch_reference']);
});

test('clients get the results as CSV and as JSON lines too', async () => {
  const batchReference = fresh('batch');
  const file = `biller_name,amount,account,merchant_reference\nsafaricom,1,254722000008,"a,b"\n`;
  const [row] = await decided(file, { batchReference });
  const csv = await ask('result', { batch_reference: batchReference, format: 'csv' });
  expect(csv.headers['content-type']).toBe('text/csv; charset=utf-8');
  expect(csv.headers['content-disposition']).toMatch(
    /^attachment; filename="batch-[0-9a-f-]+\.csv"$/,
  );
  expect(csv.text).toBe(
    'row,merchant_reference,result,ipay_reference,posted_time,code,text,field,replayed\r\n' +
      '1,"a,b",REFUSED,,,amount_below_minimum,The minimum amount of safaricom is 5.00,amount,\r\n',
  );
  const lines = await ask('result', { batch_reference: batchReference, format: 'jsonl' });
  expect(lines.headers['content-type']).toBe('application/x-ndjson');
  expect(JSON.parse(lines.text)).toEqual(row);
});

test('a spreadsheet does not run a reference of the CSV as a formula', async () => {
  const batchReference = fresh('batch');
  const reference = fresh('=HYPERLINK("//evil")');
  const quoted = `"${reference.replaceAll('"', '""')}"`;
  const file = `biller_name,amount,account,merchant_reference\nsafaricom,1,254722000008,${quoted}\n`;
  const [row] = await decided(file, { batchReference });
  expect(row).toMatchObject({ merchant_reference: reference });
  const csv = await ask('result', { batch_reference: batchReference, format: 'csv' });
  expect(csv.text).toContain(`1,"'${reference.replaceAll('"', '""')}",REFUSED`);
});

test('a file that differs from the signed one is refused', async () => {
  const file = 'biller_name,amount,account\nsafaricom,10,254722000009\n';
  const changed = file.replace('10', '99');
  const batchReference = fresh('batch');
  const answer = await upload(file, { batchReference, body: changed });
  expect(refusalOf(answer)).toEqual([400, 'file_mismatch', 'sha256']);
  expect(refusalOf(await ask('status', { batch_reference: batchReference }))).toEqual([
    404,
    'unknown_batch',
    'batch_reference',
  ]);
});

test('the signature is checked before a byte of the file is read', async () => {
  const path = target(PATH, { batch_reference: 'x', sha256: sha256('x') }).replace(
    /hash=../,
    'hash=00',
  );
  const { hostname, port } = new URL(running.origin);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: text/csv\r\nContent-Length: 1000000\r\n\r\n`,
  );
  const [data] = (await once(socket, 'data')) as [Buffer];
  expect(data.toString()).toContain('401');
  socket.destroy();
});

/** An upload of this body, signed in the header. */
function signedByHeader(body: string, fileSha256: string): WireRequest {
  const query = new URLSearchParams({
    vid: vendor.vid,
    batch_reference: fresh('batch'),
    sha256: fileSha256,
  });
  const path = `${PATH}?${query.toString()}`;
  const [time, nonce] = [Math.floor(Date.now() / 1000), randomBytes(12).toString('hex')];
  const text = ['v2', 'POST', path, sha256(body), time, nonce].join('\n');
  const sig = createHmac('sha256', vendor.key).update(text).digest('hex');
  const signature = `v2,t=${time},nonce=${nonce},sig=${sig}`;
  const headers = { 'content-type': 'text/csv', 'x-signature': signature };
  return { method: 'POST', path, headers, body };
}

test('takes a header signature, which covers the file itself', async () => {
  const file = 'biller_name,amount,account\nsafaricom,10,254722000012\n';
  const sendSigned = async (body: string): Promise<Answer> =>
    await send(running.origin, { ...signedByHeader(file, sha256(body)), body });
  expect((await sendSigned(file)).status).toBe(200);
  const forged = await sendSigned(file.replace('10', '99'));
  expect(refusalOf(forged)).toEqual([401, 'signature_invalid', 'X-Signature']);
});

describe('uploads that do not arrive', () => {
  const sockets: Socket[] = [];
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });

  /** A connection with the head of an upload; resolves once the server has it. */
  async function begin(path: string, headers: Readonly<Record<string, string>>): Promise<Socket> {
    const { hostname, port } = new URL(running.origin);
    const socket = connect({ host: hostname, port: Number(port) }).setEncoding('utf8');
    sockets.push(socket);
    socket.on('error', () => undefined);
    const arrived = once(running.service.app.server, 'request');
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: x\r\n${lines.join('')}Content-Length: 1000\r\n\r\n`,
    );
    await arrived;
    return socket;
  }

  const BOUNDARY = '------------------------3f1c9a7e5d2b8046';
  const MULTIPART = `multipart/form-data; boundary=${BOUNDARY}`;
  const file = 'biller_name,amount,account\nsafaricom,10,254722000013\n';
  const forged = `v2,t=${Math.floor(Date.now() / 1000)},nonce=${'n'.repeat(16)},sig=${'0'.repeat(64)}`;

  test.each([
    ['text/csv', 'x'],
    ['text/csv', forged],
    [MULTIPART, 'x'],
    [MULTIPART, forged],
  ])('do not delay other vendors: %s, X-Signature: %s', async (contentType, signature) => {
    const path = target(PATH, { batch_reference: fresh('batch'), sha256: sha256(file) });
    for (let count = 0; count < 2 * LIMITS.bulkUploadsAtOnce; count += 1) {
      await begin(path, { 'Content-Type': contentType, 'X-Signature': signature });
    }
    expect((await upload(file)).status).toBe(200);
    const whole = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n${file}\r\n--${BOUNDARY}--\r\n`;
    const wrapped = signedByHeader(whole, sha256(file));
    const headers = { ...wrapped.headers, 'content-type': MULTIPART };
    const taken = await send(running.origin, { ...wrapped, headers });
    expect(taken.status, taken.text).toBe(200);
  });

  test('uploads of an unknown sender are refused before they arrive', async () => {
    const path = target(PATH, { batch_reference: fresh('batch'), sha256: sha256(file) });
    const socket = await begin(path, { 'Content-Type': 'text/csv', 'X-Signature': forged });
    const [answer] = (await once(socket, 'data')) as [string];
    expect(answer).toMatch(/^HTTP\/1\.1 401 .*"signature_invalid"/s);
  });

  test('uploads of one vendor leave places for another, and the oldest is displaced', async () => {
    const begun: Socket[] = [];
    for (let count = 0; count < LIMITS.bulkUploadsPerVendor; count += 1) {
      const path = target(PATH, { batch_reference: fresh('batch'), sha256: sha256(file) });
      begun.push(await begin(path, { 'Content-Type': 'text/csv' }));
    }
    const other = await running.addVendor();
    expect((await upload(file, { by: other })).status).toBe(200);
    // A new upload displaces the oldest one that is incomplete.
    const refused = once(begun[0] ?? expect.fail(), 'data') as Promise<[string]>;
    expect((await upload(file)).status).toBe(200);
    expect((await refused)[0]).toMatch(/^HTTP\/1\.1 503 .*"overloaded"/s);
  });

  test('uploads of several vendors do not keep another one waiting', async () => {
    for (const by of [vendor, await running.addVendor()]) {
      for (let count = 0; count < LIMITS.bulkUploadsPerVendor; count += 1) {
        const path = target(PATH, { batch_reference: fresh('batch'), sha256: sha256(file) }, by);
        await begin(path, { 'Content-Type': 'text/csv' });
      }
    }
    expect((await upload(file, { by: await running.addVendor() })).status).toBe(200);
  });

  test('uploads that repeat one request replace only each other', async () => {
    const own = target(PATH, { batch_reference: fresh('batch'), sha256: sha256(file) });
    const half = await begin(own, { 'Content-Type': 'text/csv' });
    const seen = target(PATH, { batch_reference: fresh('batch'), sha256: sha256(file) });
    const answers: Promise<unknown>[] = [];
    for (let count = 0; count < 2 * LIMITS.bulkUploadsPerVendor; count += 1) {
      answers.push(once(await begin(seen, { 'Content-Type': 'text/csv' }), 'data'));
    }
    await Promise.all(answers.slice(0, -1));
    half.write('x'.repeat(1000));
    const [answer] = (await once(half, 'data')) as [string];
    expect(answer).toContain('"file_mismatch"');
  });

  test('strangers at the same address do not displace partly received uploads', async () => {
    const path = target(PATH, { batch_reference: fresh('batch'), sha256: sha256(file) });
    const { hostname, port } = new URL(running.origin);
    const socket = connect({ host: hostname, port: Number(port) }).setEncoding('utf8');
    sockets.push(socket);
    const length = Buffer.byteLength(file);
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: text/csv\r\nContent-Length: ${length}\r\n\r\n`,
    );
    await once(running.service.app.server, 'request');
    for (let count = 0; count < 300; count += 1) {
      await begin('/transaction/create', { 'Content-Type': 'application/json' });
    }
    socket.write(file);
    const [answer] = (await once(socket, 'data')) as [string];
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  });
});

test('says what is wrong with a file as a whole', async () => {
  const row = 'safaricom,10,254722000010\n';
  const files: readonly (readonly [string | Buffer, readonly unknown[], string])[] = [
    ['biller_name,amount,account\n', [400, 'invalid_file', 'file'], 'no rows'],
    [`biller_name,amount\n`, [400, 'invalid_file', 'file'], 'account'],
    [`biller_name,amount,account,hash\n`, [400, 'invalid_file', 'file'], 'column 4'],
    [`biller_name,amount,account,amount\n`, [400, 'invalid_file', 'file'], 'amount twice'],
    [`biller_name,amount,account\n"${row}`, [400, 'invalid_file', 'file'], 'quote'],
    [Buffer.from([0xff, 0xfe, 0x41]), [400, 'invalid_file', 'file'], 'UTF-8'],
    [
      `biller_name,amount,account\n${row.repeat(LIMITS.bulkRows + 1)}`,
      [413, 'payload_too_large', 'file'],
      'at most 5000 rows',
    ],
    [Buffer.alloc(LIMITS.bulkFileBytes + 5_000, 0x41), [413, 'payload_too_large', undefined], ''],
    ['', [400, 'missing_field', 'file'], ''],
  ];
  for (const [file, refusal, text] of files) {
    const answer = await upload(file);
    expect(refusalOf(answer)).toEqual(refusal);
    expect(answer.body.error?.[0]?.text).toContain(text);
  }
  expect(refusalOf(await upload('x', { contentType: 'application/pdf' }))).toEqual([
    415,
    'unsupported_media_type',
    undefined,
  ]);
});

test('no vendor finds another vendor’s batch', async () => {
  const batchReference = fresh('batch');
  await decided('biller_name,amount,account\nsafaricom,10,254722000011\n', { batchReference });
  const other = running.demo('demo2');
  for (const what of ['status', 'result'] as const) {
    const answer = await ask(what, { batch_reference: batchReference }, other);
    expect(refusalOf(answer)).toEqual([404, 'unknown_batch', 'batch_reference']);
  }
});

// The last one: the quarantine stays.
test('an unknown batch may be one that a restore has lost', async () => {
  const known = fresh('batch');
  await decided(`biller_name,account,amount\nsafaricom,254722000001,100\n`, {
    batchReference: known,
  });
  await enterQuarantine(running.service.pool, {
    ...{ entryId: newId(), by: 'restore', reason: 'restored', lostUntil: null },
    lostFrom: new Date(Date.now() - 60_000),
  });
  for (const what of ['status', 'result'] as const) {
    expect((await ask(what, { batch_reference: known })).status).toBe(200);
    const unknown = await ask(what, { batch_reference: fresh('batch') });
    expect(refusalOf(unknown)).toEqual([503, 'quarantine', 'batch_reference']);
  }
});
