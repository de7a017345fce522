import type { Pool } from '../../src/platform/db/pool.ts';

/**
 * Keeps the rows of all tables as they are now.
 * @param owner a superuser, so no foreign key or trigger is in the way.
 * @returns puts them back, in a few milliseconds; clients stay connected, and sequences go on.
 */
export async function keepRows(owner: Pool): Promise<() => Promise<void>> {
  const listed = await owner.query<{ name: string; filled: boolean }>(
    `select oid::regclass::text as name, pg_relation_size(oid) > 0 as filled from pg_class
     where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1`,
  );
  const filled = listed.rows.filter((row) => row.filled).map(({ name }) => name);
  await owner.query('create schema kept');
  await owner.query(filled.map((name) => `create table kept.${name} as table ${name}`).join(';'));
  const restore = [
    ...listed.rows.map(({ name }) => `delete from ${name};`),
    ...filled.map((name) => `insert into ${name} table kept.${name};`),
  ].join(' ');
  // A function is planned once.
  await owner.query(`create function kept.restore() returns void language plpgsql as $$ begin
    perform set_config('session_replication_role', 'replica', true); ${restore} end $$`);
  return async () => void (await owner.query('select kept.restore()'));
}
