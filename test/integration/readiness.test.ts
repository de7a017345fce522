import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { LIMITS } from '../../src/platform/base/limits.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import { createReadiness } from '../../src/platform/http/readiness.ts';
import { SCHEMA } from '../../src/schema.ts';
import { createTestDatabase } from '../support/cluster.ts';

// A readiness check must name what keeps the process from working before its caller gives up.

/** The lock times out before the deadline, which is shorter than the lock timeout of the pool. */
const DEADLINE_MS = 9_000;

test('a lock on a table is named, with the session that holds it', async () => {
  const database = await createTestDatabase();
  const [owner, pool] = [database.ownerUrl, database.url].map((url) =>
    createPool({ url, max: 2, name: 'test' }),
  );
  if (owner === undefined || pool === undefined) throw new Error('no pool');
  const log = pino({ level: 'silent' });
  const options = { pool, schema: SCHEMA, log, reuseMs: 0, deadlineMs: DEADLINE_MS };
  const holder = await owner.connect();
  try {
    await holder.query('begin');
    await holder.query('lock table dispatch_queue in access exclusive mode');
    const { rows } = await holder.query<{ pid: number }>('select pg_backend_pid() as pid');
    expect(await createReadiness(options).read()).toMatchObject({
      missing: `the database waited too long for a lock that another session holds: session ${rows[0]?.pid} locks dispatch_queue`,
    });
    await holder.query('rollback');
    expect(await createReadiness(options).read()).toMatchObject({ missing: undefined });
  } finally {
    holder.release(true);
    await owner.end();
    await pool.end();
    await database.drop();
  }
});

test('a pool without a free connection is named, and not the database, which answers', async () => {
  const database = await createTestDatabase();
  const pool = createPool({ url: database.url, max: 2, name: 'narrow' });
  const log = pino({ level: 'silent' });
  const readiness = createReadiness({ pool, schema: SCHEMA, log, reuseMs: 0, deadlineMs: 1_000 });
  const used = [await pool.connect(), await pool.connect()];
  const missing = 'a free connection to the database: all 2 of the pool narrow are in use';
  const waiting: Promise<unknown>[] = [];
  try {
    expect(await readiness.read()).toMatchObject({ missing });
    // The first check is still waiting; it gives up before the second one does.
    while (pool.waitingCount > 0) expect(await readiness.read()).toMatchObject({ missing });
    while (pool.waitingCount < LIMITS.poolQueue) waiting.push(pool.query('select 1'));
    expect(await readiness.read()).toMatchObject({ missing });
  } finally {
    for (const client of used) client.release();
    await Promise.all(waiting);
  }
  expect(await readiness.read()).toMatchObject({ missing: undefined });
  await pool.end();
  await database.drop();
});

test('a server that accepts connections and never answers is not taken for a pool in use', async () => {
  const silent = createServer((socket) => socket.on('error', () => undefined).resume());
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const pool = createPool({ url: `postgres://x@127.0.0.1:${port}/x`, max: 1, name: 'test' });
  const log = pino({ level: 'silent' });
  const readiness = createReadiness({ pool, schema: SCHEMA, log, deadlineMs: 100 });
  expect(await readiness.read()).toMatchObject({
    missing: 'the database does not answer, or does not confirm commits',
  });
  silent.close();
});
