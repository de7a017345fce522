import { createHash, createHmac, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import type { RequestList, SignatureCompared } from '../../src/staff/vendor-requests.ts';
import type { KeyList } from '../../src/staff/vendor-keys.ts';
import {
  createRequestLog,
  startRequestLogRetention,
  startRequestLogWriter,
} from '../../src/parties/request-log.ts';
import { listRequests } from '../../src/parties/request-log-store.ts';
import { LIMITS } from '../../src/platform/base/limits.ts';
import { createLog } from '../../src/platform/log.ts';
import { signedIn } from '../support/console-client.ts';
import type { ConsoleClient } from '../support/console-client.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { useService } from '../support/use-service.ts';
import { arrayElements } from '../support/array-elements.ts';
import { until } from '../support/until.ts';
import { VendorClient, signatureOf } from '../support/vendor-client.ts';

const running = useService();
let admin: ConsoleClient;
let demoAdmin: ConsoleClient;

beforeAll(async () => {
  [admin, demoAdmin] = [
    await signedIn(running.origin, 'admin'),
    await signedIn(running.origin, 'demo-admin'),
  ];
});

async function requestsOf(client: ConsoleClient, query = ''): Promise<RequestList> {
  return await client.read<RequestList>(`/vendors/demo/requests${query}`);
}

/** The log is ordered by milliseconds. */
async function nextMillisecond(): Promise<void> {
  const now = Date.now();
  await until('the clock shows a later millisecond', () => Date.now() > now);
}

test('requests are recorded with operation, result and key, without their content', async () => {
  const demo = running.demo();
  await demo.call('balance', {});
  await nextMillisecond();
  await demo.call('create', { biller_name: 'none', account: '14234569901', amount: '100' });
  await nextMillisecond();
  await new VendorClient(running.origin, { vid: 'demo', key: 'wrong' }).call('balance', {});
  const { requests } = await until('the requests', async () => {
    const answer = await requestsOf(demoAdmin);
    return answer.requests.length >= 3 && answer;
  });
  const keys = await admin.read<KeyList>('/vendors/demo/keys');
  const keyId = keys.keys[0]?.key_id;
  expect(requests).toMatchObject([
    { status: 401, error_code: 'signature_invalid', key_id: null },
    { path: '/transaction/create', status: 404, error_code: 'unknown_biller', key_id: keyId },
    { path: '/billing/account/balance', status: 200, error_code: null, key_id: keyId },
  ]);
  expect(JSON.stringify(requests)).not.toContain('14234569901');
  const refused = await requestsOf(demoAdmin, '?only=refused');
  expect(refused.requests).toHaveLength(2);
  const first = requests[0];
  for (const wrong of ['x', `${first?.at} ${'-'.repeat(36)}`]) {
    const path = `/vendors/demo/requests?cursor=${encodeURIComponent(wrong)}`;
    expect(await demoAdmin.get(path)).toMatchObject({ status: 400, field: 'cursor' });
  }
});

/** A pool that reports the parameters of each statement instead of running it. */
function poolFor(report: (values: readonly unknown[]) => void): Pool {
  const query = async ({ values }: { readonly values: readonly unknown[] }): Promise<void> => {
    await Promise.resolve();
    report(values);
  };
  return { query } as never;
}

test('what a collector or a refused stranger sends is not in the log of the vendor it names', async () => {
  const noted: Readonly<Record<string, string>>[] = [];
  const directory = { vendor: () => ({ vendorId: 1 }) as never, bucketOf: () => 0 };
  const clock = { now: () => new Date() };
  const pool = poolFor((values) => noted.push({ codes: arrayElements(values[7]).join(' ') }));
  const requestLog = createRequestLog({ pool, directory, clock });
  const answer = {
    requestId: randomUUID(),
    method: 'POST',
    route: '/x',
    status: 200,
    durationMs: 1,
  };
  const signed = { vid: 'demo', key_id: randomUUID() };
  requestLog.note({ ...answer, fields: { ...signed, collector: 'demo-collector' } });
  requestLog.note({ ...answer, fields: { vid: 'demo', code: 'too_many_requests' } });
  await requestLog.flush();
  expect(noted).toEqual([]);
  requestLog.note({ ...answer, fields: { ...signed, code: 'too_many_requests' } });
  await requestLog.flush();
  expect(noted).toEqual([{ codes: 'too_many_requests' }]);
});

test('many are written in short statements with pauses, but without one after the last', async () => {
  const calls: (number | 'pause')[] = [];
  const pool = poolFor((values) => calls.push(arrayElements(values[1]).length));
  const directory = {
    vendor: (vid: string) => ({ vendorId: Number(vid) }) as never,
    bucketOf: (vendorId: number) => (vendorId === 9 ? 1 : 0),
  };
  const requestLog = createRequestLog({ pool, directory, clock: { now: () => new Date() } });
  const answer = {
    requestId: randomUUID(),
    method: 'POST',
    route: '/x',
    status: 200,
    durationMs: 1,
  };
  const max = LIMITS.requestLogBatchRows;
  for (const [vid, count] of [
    ['1', max],
    ['2', 1],
    ['9', max - 1],
  ] as const) {
    for (let each = 0; each < count; each += 1) {
      requestLog.note({ ...answer, fields: { vid, key_id: randomUUID() } });
    }
  }
  const pause = async (): Promise<void> => void calls.push('pause');
  await requestLog.flush(pause);
  expect(calls).toEqual([max, 'pause', 1, max - 1]);
  await requestLog.flush(pause);
  expect(calls).toHaveLength(4);
});

test('a stop does not wait for the pauses between statements', async () => {
  const counts: number[] = [];
  const pool = poolFor((values) => counts.push(arrayElements(values[1]).length));
  const directory = { vendor: () => ({ vendorId: 1 }) as never, bucketOf: () => 0 };
  const requestLog = createRequestLog({ pool, directory, clock: { now: () => new Date() } });
  const answer = {
    requestId: randomUUID(),
    method: 'POST',
    route: '/x',
    status: 200,
    durationMs: 1,
  };
  const max = LIMITS.requestLogBatchRows;
  for (let each = 0; each < max + 1; each += 1) {
    requestLog.note({ ...answer, fields: { vid: 'demo', key_id: randomUUID() } });
  }
  const writer = startRequestLogWriter(requestLog, {
    // The pauses are three minutes long.
    everyMs: 3_600_000,
    log: createLog({ level: 'silent', destination: { write: () => undefined } }),
  });
  writer.hurry();
  await until('the first statement has run', () => counts.length > 0);
  requestLog.note({ ...answer, fields: { vid: 'demo', key_id: randomUUID() } });
  await writer.stop();
  expect(counts).toEqual([max, 1, 1]);
  expect(requestLog.dropped).toBe(0);
});

describe('many requests', () => {
  const vendors = new Map([['demo', { vendorId: 1, vid: 'demo' }]]);
  let bucket = -1;
  beforeAll(async () => {
    const { rows } = await running.service.pool.query<{ bucket: number }>(
      'select bucket_of(1) as bucket',
    );
    bucket = rows[0]?.bucket ?? -1;
  });
  const directory = {
    vendor: (vid: string) => vendors.get(vid) as never,
    bucketOf: () => bucket,
  };
  const answer = (fields: Readonly<Record<string, string>>) => ({
    requestId: randomUUID(),
    method: 'POST',
    route: '/x',
    status: 200,
    durationMs: 1,
    fields: { vid: 'demo', ...fields },
  });

  test('many requests are bounded in memory, and a stranger cannot displace authenticated ones', async () => {
    const { pool } = running.service;
    const clock = { now: () => new Date('2026-06-01T00:00:00Z') };
    const requestLog = createRequestLog({ pool, directory, clock });
    for (let count = 0; count < 1_000; count += 1) requestLog.note(answer({}));
    expect(requestLog.dropped).toBe(1_000 - LIMITS.requestLogUnprovenPerVendor);
    for (let count = 0; count < 1_000; count += 1) {
      requestLog.note(answer({ key_id: randomUUID() }));
    }
    await requestLog.flush();
    const since = new Date('2026-01-01T00:00:00Z');
    const all = { onlyRefused: false, since, before: undefined, limit: 10_000 };
    const atThatTime = async () =>
      (await listRequests(pool, 1, all)).filter(({ at }) => at.getTime() === clock.now().getTime());
    expect(await atThatTime()).toHaveLength(LIMITS.requestLogRowsPerVendor);
    expect(requestLog.dropped).toBe(2_000 - LIMITS.requestLogRowsPerVendor);
    requestLog.note({ ...answer({}), fields: { vid: 'nobody' } });
    await requestLog.flush();
    expect(await atThatTime()).toHaveLength(LIMITS.requestLogRowsPerVendor);

    const retention = startRequestLogRetention({
      pool,
      clock: { now: () => new Date('2026-06-08T00:00:01Z') },
      everyMs: 60_000,
      log: createLog({ level: 'silent', destination: { write: () => undefined } }),
    });
    await until('the old ones are removed', async () => (await atThatTime()).length === 0);
    await retention.stop();
  });

  test('a stranger who names many vendors cannot displace authenticated requests', () => {
    const clock = { now: () => new Date() };
    const requestLog = createRequestLog({ pool: running.service.pool, directory, clock });
    for (let vendorId = 1_000; vendorId < 1_200; vendorId += 1) {
      vendors.set(`many-${vendorId}`, { vendorId, vid: `many-${vendorId}` });
      for (let count = 0; count < 50; count += 1) {
        requestLog.note({ ...answer({}), fields: { vid: `many-${vendorId}` } });
      }
    }
    const before = requestLog.dropped;
    requestLog.note(answer({ key_id: randomUUID() }));
    expect(requestLog.dropped).toBe(before);
  });

  test('if the database cannot be written, only entries are lost', async () => {
    const pool = { query: () => Promise.reject(new Error('away')) } as never;
    const clock = { now: () => new Date() };
    const requestLog = createRequestLog({ pool, directory, clock });
    requestLog.note(answer({}));
    await expect(requestLog.flush()).rejects.toThrow('away');
    expect(requestLog.dropped).toBe(1);
    await requestLog.flush();
  });
});

describe('a signature', () => {
  const params = { vid: 'demo', account: '14 23', amount: '100' };
  const compare = async (body: object): Promise<SignatureCompared> =>
    (await demoAdmin.send('POST', '/vendors/demo/signature', body))
      .body as unknown as SignatureCompared;

  test('the log compares a signature with the text to sign', async () => {
    const request = new URLSearchParams(params).toString();
    const ours = 'account=14 23&amount=100&vid=demo';
    expect(await compare({ request, signed: 'account=14%2023&amount=100&vid=demo' })).toEqual({
      ours,
      yours: 'account=14%2023&amount=100&vid=demo',
      differs_at: 10,
      hint: 'encoded',
      is_right: null,
    });
    const hash = signatureOf(params, 'demo-security-key');
    expect(await compare({ request: JSON.stringify({ ...params, hash }) })).toEqual({
      ours,
      yours: null,
      differs_at: null,
      hint: null,
      is_right: true,
    });
    const wrong = signatureOf(params, 'other');
    const asked = { request: `/transaction/create?${request}&hash=${wrong}`, signed: ours };
    expect(await compare(asked)).toMatchObject({ ours, differs_at: null, is_right: false });
  });

  test('the log compares a signature by header line by line', async () => {
    const nonce = 'a-nonce-of-some-length';
    const body = '{"vid":"demo"}';
    const digest = createHash('sha256').update(body).digest('hex');
    const ours = ['v2', 'POST', '/billing/account/balance', digest, '1764000000', nonce].join('\n');
    const sig = createHmac('sha256', 'demo-security-key').update(ours).digest('hex');
    const header = `X-Signature: v2,t=1764000000,nonce=${nonce},sig=${sig}`;
    const asked = { request: body, header, method: 'POST', target: '/billing/account/balance' };
    expect(await compare(asked)).toMatchObject({ ours, is_right: true });
    const signed = `${ours}\n`;
    expect(await compare({ ...asked, signed })).toMatchObject({
      differs_at: ours.length,
      hint: 'line_break',
    });
    expect(await compare({ ...asked, request: `${body} ` })).toMatchObject({ is_right: false });
    for (const wrong of [{ header: 'v2,t=1' }, { target: 'balance' }]) {
      const path = '/vendors/demo/signature';
      const refused = await demoAdmin.send('POST', path, { ...asked, ...wrong });
      expect(refused.code).toBe('invalid_field');
    }
  });

  test('a signature of another vendor is never valid', async () => {
    const other = { ...params, vid: 'demo2' };
    const hash = signatureOf(other, 'demo2-security-key');
    const request = new URLSearchParams({ ...other, hash }).toString();
    expect(await compare({ request })).toMatchObject({ is_right: false });
    const refused = await demoAdmin.send('POST', '/vendors/demo/signature', { request: '{' });
    expect(refused).toMatchObject({ status: 400 });
  });
});
