import { pino } from 'pino';
import { expect, test } from 'vitest';
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
