import { Client } from 'pg';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';

const made: TestDatabase[] = [];
afterAll(async () => {
  await Promise.all(made.map(async (database) => await database.drop()));
});

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

describe('test databases', () => {
  test('test databases are migrated, and many can be made at once, each apart from the others', async () => {
    const databases = await Promise.all(
      Array.from({ length: 4 }, async () => await createTestDatabase()),
    );
    made.push(...databases);
    await databases[0]?.asOwner('create table public.only_here (n int)');
    const seen = await Promise.all(
      databases.map(
        async ({ url }) =>
          await query(
            url,
            `select current_database() as name, to_regclass('public.only_here') is not null as here,
             (select count(*) > 0 from public.schema_migrations) as migrated`,
          ),
      ),
    );
    expect(new Set(seen.map(([row]) => row?.['name'])).size).toBe(4);
    expect(seen.map(([row]) => row?.['here'])).toEqual([true, false, false, false]);
    expect(seen.map(([row]) => row?.['migrated'])).toEqual([true, true, true, true]);
  });

  test('test databases are gone after drop, even with somebody connected', async () => {
    const database = await createTestDatabase();
    const client = new Client({ connectionString: database.url });
    client.on('error', () => undefined);
    await client.connect();
    await database.drop();
    const name = new URL(database.url).pathname.slice(1);
    const rows = await query(
      inject('clusterUrl'),
      `select 1 from pg_database where datname = '${name}'`,
    );
    expect(rows).toEqual([]);
    await client.end().catch(() => undefined);
  });

  test('nobody can connect to the template', async () => {
    const url = new URL(inject('clusterUrl'));
    url.pathname = `/${inject('templateDatabase')}`;
    await expect(query(url.href, 'select 1')).rejects.toThrow(
      /not currently accepting connections/,
    );
  });
});
