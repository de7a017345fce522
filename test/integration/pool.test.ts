import { once } from 'node:events';
import * as net from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { LIMITS } from '../../src/platform/base/limits.ts';
import {
  QueueFullError,
  createPool,
  databaseTransaction,
  inTransaction,
  isConnectionError,
  repeatableTransaction,
} from '../../src/platform/db/pool.ts';
import type { Queryable } from '../../src/platform/db/pool.ts';
import { asRefusal } from '../../src/platform/http/errors.ts';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { until } from '../support/until.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(async () => await database.drop());

test.each([
  [4, 'succeeds'],
  [5, 'is refused'],
])('work that meets %i deadlocks in a row %s', async (deadlocks, end) => {
  const pool = createPool({ url: database.url, max: 1, name: 'unlucky' });
  let left = deadlocks;
  const worked = repeatableTransaction(pool, async (db) => {
    left -= 1;
    if (left >= 0) await db.query(`do $$ begin raise sqlstate '40P01'; end $$`);
    return 'done';
  });
  if (end === 'succeeds') await expect(worked).resolves.toBe('done');
  else await expect(worked).rejects.toMatchObject({ code: '40P01' });
  await pool.end();
});

test('only a limited number of callers may wait for a connection', async () => {
  const pool = createPool({ url: database.url, max: 1, name: 'narrow' });
  const client = await pool.connect();
  const waiting = Array.from(
    { length: LIMITS.poolQueue },
    async () => await pool.query('select 1'),
  );
  await expect(pool.query('select 1')).rejects.toThrow(QueueFullError);
  await expect(databaseTransaction(pool, async () => 1)).rejects.toThrow(QueueFullError);
  expect(asRefusal(new QueueFullError())).toMatchObject({
    code: 'overloaded',
    status: 503,
    retryAfterSeconds: 1,
  });
  client.release();
  expect(await Promise.all(waiting)).toHaveLength(LIMITS.poolQueue);
  await pool.end();
});

test('a caller waits 5 s for a connection, of a patient pool 30 s', async () => {
  const silent = net.createServer((socket) => socket.on('error', () => undefined).resume());
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const url = new URL(database.url);
  url.port = String((silent.address() as AddressInfo).port);
  const usual = createPool({ url: url.href, max: 1, name: 'test' });
  const patient = createPool({ url: url.href, max: 1, name: 'test', patient: true });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const ended = vi.fn<(error: Error) => void>();
    const waited = patient.connect().then(undefined, ended);
    const failed = expect(usual.connect()).rejects.toThrow('connection timeout');
    await vi.advanceTimersByTimeAsync(5_000);
    await failed;
    await vi.advanceTimersByTimeAsync(24_999);
    expect(ended).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    await waited;
    expect(String(ended.mock.lastCall?.[0])).toContain('connection timeout');
  } finally {
    vi.useRealTimers();
  }
  await Promise.all([usual.end(), patient.end()]);
  silent.close();
  await once(silent, 'close');
});

describe('a query', () => {
  test('a query that is not answered in time fails, and its connection is given up', async () => {
    const pool = createPool({ url: database.url, max: 1, name: 'slow', statementTimeoutMs: 500 });
    const client = await pool.connect();
    // Otherwise the server gives up first.
    await client.query('set statement_timeout = 0');
    const asked = client.query('select pg_sleep(60)');
    await expect(asked).rejects.toThrow('Query read timeout');
    const error = await asked.catch((reason: unknown) => reason);
    expect(isConnectionError(error)).toBe(true);
    expect((error as Error).stack).toContain('pool.test.ts');
    client.release(error as Error);
    expect((await pool.query<{ one: number }>('select 1 as one')).rows).toEqual([{ one: 1 }]);
    await pool.end();
  });

  test('a query that waits for one that is not answered in time is never sent', async () => {
    const pool = createPool({
      url: database.ownerUrl,
      max: 1,
      name: 'queue',
      statementTimeoutMs: 500,
    });
    const client = await pool.connect();
    client.on('error', () => undefined);
    await client.query('create table never_sent (id integer)');
    await client.query('set statement_timeout = 0');
    const asked = [
      client.query('select pg_sleep(2)'),
      client.query('insert into never_sent values (1)'),
    ];
    const ends = await Promise.allSettled(asked);
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    client.release((ends[0] as PromiseRejectedResult).reason as Error);
    // The server has ended the first query: its session is gone.
    await until('the end of the first session', async () => {
      const { rows } = await pool.query<{ others: number }>(
        `select count(*)::integer as others from pg_stat_activity
         where application_name = 'malipo queue' and pid <> pg_backend_pid()`,
      );
      return rows[0]?.others === 0;
    });
    expect((await pool.query('select from never_sent')).rowCount).toBe(0);
    await pool.query('drop table never_sent');
    await pool.end();
  });

  test('may have a time-out of its own, and the URL may have one for all', async () => {
    const url = new URL(database.url);
    url.searchParams.set('query_timeout', '100');
    const pool = createPool({ url: url.href, max: 1, name: 'own', statementTimeoutMs: 60_000 });
    await expect(pool.query('select pg_sleep(60)')).rejects.toThrow('Query read timeout');
    const longer = { text: 'select pg_sleep(0.2)', query_timeout: 10_000 };
    expect((await pool.query(longer)).rowCount).toBe(1);
    await pool.end();
  });

  test('a query that the server refuses fails with a stack of its caller', async () => {
    const pool = createPool({ url: database.url, max: 1, name: 'refused' });
    const client = await pool.connect();
    const error = await client.query('select 1 / 0').catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: '22012' });
    expect((error as Error).stack).toContain('pool.test.ts');
    client.release();
    await pool.end();
  });
});

test('a connection that is cut while the pool is being closed is not logged', async () => {
  const lost = vi.fn<(error: Error) => void>();
  const pool = createPool({ url: database.url, max: 2, name: 'closing', onError: lost });
  const [one, other] = await Promise.all([pool.connect(), pool.connect()]);
  other.release();
  const end = pool.end();
  pool.emit('error', new Error('Connection terminated unexpectedly'), other);
  one.release();
  await end;
  expect(lost).not.toHaveBeenCalled();
});

test('the loss of an idle connection is logged', async () => {
  const lost = vi.fn<(error: Error) => void>();
  const pool = createPool({ url: database.url, max: 1, name: 'to be cut', onError: lost });
  await pool.query('select 1');
  const other = createPool({ url: database.url, max: 1, name: 'other' });
  await other.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where application_name = 'malipo to be cut'`,
  );
  await until('it is reported', () => lost.mock.calls.length === 1);
  await Promise.all([pool.end(), other.end()]);
});

test('the loss of a connection that a caller has fails its next query, and nothing else', async () => {
  const pool = createPool({ url: database.url, max: 1, name: 'lost in use' });
  const client = await pool.connect();
  const lost = new Promise((resolve) => client.once('end', resolve));
  const ended = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const admin = createPool({ url: database.ownerUrl, max: 1, name: 'test' });
  await admin.query('select pg_terminate_backend($1)', [ended.rows[0]?.pid]);
  await admin.end();
  await lost;
  await expect(client.query('select 1')).rejects.toThrow('not queryable');
  client.release();
  expect((await pool.query('select 1')).rowCount).toBe(1);
  await pool.end();
});

describe('a transaction on a connection that is held', () => {
  /** A connection on which this statement fails. */
  function failing(on: string, error: Error): { db: Queryable; said: unknown[] } {
    const said: unknown[] = [];
    const query = async (statement: unknown): Promise<unknown> => {
      said.push(statement);
      return statement === on ? Promise.reject(error) : undefined;
    };
    return { db: { query: query as Queryable['query'] }, said };
  }
  const lost = new Error('Connection terminated unexpectedly');
  const refused = new Error('a row is at fault');
  const throwing = (error: Error) => async (): Promise<number> => {
    throw error;
  };

  test.each([
    [1, 'commit'],
    [undefined, 'rollback'],
  ])('work that gives %s ends with %s', async (result, end) => {
    const { db, said } = failing('nothing', lost);
    expect(await inTransaction(db, async () => result)).toBe(result);
    expect(said).toEqual(['begin', end]);
  });

  test('the transaction is rolled back after an error, which is rethrown', async () => {
    const { db, said } = failing('nothing', lost);
    await expect(inTransaction(db, throwing(refused))).rejects.toBe(refused);
    expect(said).toEqual(['begin', 'rollback']);
  });

  test('a transaction that does not roll back has its connection reported as in doubt', async () => {
    const { db } = failing('rollback', lost);
    await expect(inTransaction(db, throwing(refused))).rejects.toBe(lost);
    const gone = new Error('read ECONNRESET: connection lost');
    await expect(inTransaction(db, throwing(gone))).rejects.toBe(gone);
  });
});
