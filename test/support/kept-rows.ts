import type { Pool } from '../../src/platform/db/pool.ts';

/**
 * Keeps the rows of all tables as they are now.
 * @param owner a superuser, so no foreign key or trigger is in the way.
 * @returns puts them back, in a few milliseconds; clients stay connected, and sequences go on.
 */
export async function keepRows(owner: Pool): Promise<() => Promise<void>> {
  const listed = await owner.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class
     where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1`,
  );
  const names = listed.rows.map(({ name }) => name);
  await owner.query('create schema kept');
  await owner.query(names.map((name) => `create table kept.${name} as table ${name}`).join(';'));
  const filled: string[] = [];
  for (const name of names) {
    const found = await owner.query(`select from kept.${name} limit 1`);
    if (found.rowCount === 1) filled.push(name);
  }
  const restore = [
    'set local session_replication_role = replica',
    ...names.map((name) => `delete from ${name}`),
    ...filled.map((name) => `insert into ${name} table kept.${name}`),
  ].join(';');
  return async () => void (await owner.query(restore));
}
