import dns from 'node:dns';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { connectionOf, createOperatorPool } from '../../src/connectors/connection.ts';
import { createDeliverer } from '../../src/payments/events/deliver.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import { exchange } from '../../src/platform/outbound/exchange.ts';
import { s3Storage } from '../../src/platform/storage/s3.ts';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';

let database: TestDatabase;
const server = createServer((request, response) => {
  request.resume().once('end', () => response.end('done'));
});
let port = 0;
const { signal } = new AbortController();

beforeAll(async () => {
  database = await createTestDatabase();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  ({ port } = server.address() as AddressInfo);
  // As when the threads of the process wait for a DNS server that does not answer.
  vi.spyOn(dns, 'lookup').mockImplementation(() => undefined);
  syncBuiltinESMExports();
});
afterAll(async () => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  server.close();
  await database.drop();
});

describe('while the system’s look-ups stall', () => {
  test.each([{}, { private_addresses: 'allow' } as const])(
    'an operator is called by its name (%o)',
    async (settings) => {
      const options = connectionOf({ maxConcurrency: 1 }, settings);
      const pool = createOperatorPool(`http://localhost:${port}`, options);
      const call = { path: '/', body: '{}', headers: {}, deadlineMs: 5_000, answerBytes: 10 };
      expect(await exchange(pool, { ...call, signal })).toMatchObject({ httpStatus: 200 });
      await pool.destroy();
    },
  );

  test('a webhook is called', async () => {
    const deliverer = createDeliverer({ callTimeoutMs: 5_000 });
    const url = `http://localhost:${port}/`;
    const about = { vid: 'a', allowsPrivate: true, webhookId: 'evt_1', body: '{}', secrets: [] };
    expect(await deliverer.deliver({ ...about, url }, signal)).toMatchObject({
      kind: 'delivered',
    });
    await deliverer.close();
  });

  test.each(['any', 'read-write'])(
    'a connection to the database is opened by its name (%s)',
    async (target) => {
      const url = new URL(database.url);
      url.searchParams.set('target_session_attrs', target);
      url.hostname = 'localhost';
      const pool = createPool({ url: url.href, max: 1, name: 'test' });
      expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
      await pool.end();
    },
  );

  test('an object store is read', async () => {
    const storage = s3Storage({
      ...{ endpoint: `http://localhost:${port}`, region: 'x', pathStyle: true },
      ...{ accessKeyId: 'a', secretAccessKey: 'b', sessionToken: undefined },
      ...{ bucket: 'bucket', prefix: '' },
    });
    expect(String(await storage.read('name'))).toBe('done');
  });
});
