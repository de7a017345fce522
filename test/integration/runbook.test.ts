import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { createPool } from '../../src/platform/db/pool.ts';
import { createTestDatabase } from '../support/cluster.ts';
import { until } from '../support/until.ts';

/** The statement in a section of the runbook, with the name of the test's role. */
async function statementOf(title: string, role: string): Promise<string> {
  const page = await readFile(new URL('../../docs/operating/runbook.md', import.meta.url), 'utf8');
  const section = page.split(/^## /m).find((text) => text.startsWith(`${title}\n`)) ?? '';
  const [, sql = ''] = /```sql\n(.*?)```/s.exec(section) ?? [];
  return sql.replaceAll('malipo_runtime', role);
}

test.each(['', 'psql'])(
  'a session that holds a lock is found, also that of a person with the service’s role (%j)',
  async (program) => {
    const database = await createTestDatabase();
    const role = new URL(database.url).username;
    const pool = createPool({ url: database.url, max: 4, name: 'main' });
    const holder = await pool.connect();
    await holder.query(`select set_config('application_name', $1, false)`, [program]);
    await holder.query('begin');
    await holder.query('insert into sign_in_failures values (now(), 0, $1)', ['one']);
    const { rows } = await holder.query<{ pid: number }>('select pg_backend_pid() as pid');
    const waiting = [1, 2].map(
      async () =>
        await pool
          .query('insert into sign_in_failures values (now(), 0, $1)', ['one'])
          .catch(String),
    );
    const sql = await statementOf('A session holds a lock', role);
    const found = await until('sessions that wait', async () => {
      const listed = await pool.query<{ pid: number }>(sql);
      return listed.rows.length > 0 && listed.rows;
    });
    await holder.query('rollback');
    expect(found.map(({ pid }) => pid)).toEqual([rows[0]?.pid]);
    await Promise.all(waiting);
    holder.release(true);
    await pool.end();
    await database.drop();
  },
);

test('what uses every connection is shown to the service’s own role', async () => {
  const database = await createTestDatabase();
  const pool = createPool({ url: database.url, max: 2, name: 'main' });
  const client = await pool.connect();
  await client.query('select 42 as answer');
  const sql = await statementOf('Every connection is in use', new URL(database.url).username);
  const { rows } = await pool.query<{ state: string; query: string }>(sql);
  expect(rows).toContainEqual(expect.objectContaining({ query: 'select 42 as answer' }));
  client.release();
  await pool.end();
  await database.drop();
});
