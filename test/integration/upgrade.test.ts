import { afterEach, describe, expect, test } from 'vitest';
import { isMigrated, migrate, refuseDamage } from '../../src/platform/db/migrate.ts';
import { TURNS } from '../../src/platform/db/migration-turns.ts';
import type { Turns } from '../../src/platform/db/migration-turns.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import { prepareDatabase } from '../../src/platform/db/prepare.ts';
import type { Schema, SqlFile } from '../../src/platform/db/schema.ts';
import { createPayments } from '../../src/payments/create/store.ts';
import { SCHEMA } from '../../src/schema.ts';
import { CITUS_URL } from '../support/citus.ts';
import { openBooks } from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { newPayment } from '../support/new-transaction.ts';

// A release that changes tables, while processes of the release before it serve.

const opened: Books[] = [];
afterEach(async () => {
  for (const books of opened.splice(0)) {
    // The next test gets the same database, emptied.
    if (CITUS_URL !== undefined) {
      for (const statement of UNDO) await books.owner.query(statement);
    }
    await books.close();
  }
});

async function open(): Promise<Books> {
  const books = await openBooks();
  opened.push(books);
  return books;
}

const NEXT = 'payments/9001_next.sql';

/** The release after this one, with one more migration. */
function next(sql: string, more: Partial<SqlFile> = {}): Schema {
  const migration = { name: NEXT, sql, checksum: sql, ...more };
  return {
    ...SCHEMA,
    migrations: [...SCHEMA.migrations, migration],
    grants: { ...SCHEMA.grants, notes: { insert: true, update: ['text'] } },
    release: SCHEMA.release + 1,
  };
}

const ADD_COLUMN = 'alter table payments add column note text';
const ADD_TABLE = `create table notes (note_id integer primary key, text text);
  create function list_notes() returns setof notes language sql security definer
    set search_path = public as 'select * from notes';
  revoke all on function list_notes() from public`;

const UNDO = [
  'alter table payments drop column if exists note',
  'drop function if exists list_notes()',
  'drop table if exists notes',
];

/** Turns that are waited for, not for long. */
function turns(more: Partial<Turns>): Turns {
  return { ...TURNS, lockTimeoutMs: 50, pauseMs: 1, longestPauseMs: 10, ...more };
}

describe('an alter table', () => {
  test('waits in turns for a long read, and payments are created in between', async () => {
    const books = await open();
    const vendorId = await books.addVendor(1_000_000n);
    const reader = books.openPool({ name: 'report' });
    const client = await reader.connect();
    await client.query('begin');
    await client.query('select count(*) from payments');

    const waited: (readonly string[])[] = [];
    const afterTwo = Promise.withResolvers<void>();
    const onWait = (sessions: readonly string[]): void => {
      waited.push(sessions);
      if (waited.length === 2) afterTwo.resolve();
    };
    let isDone = false;
    const schema = next(ADD_COLUMN);
    const migrating = migrate(books.owner, schema, turns({ turns: 100_000, onWait }));
    void migrating.finally(() => (isDone = true));
    await afterTwo.promise;
    for (let count = 0; count < 3; count += 1) {
      await createPayments(books.pool, [newPayment({ vendorId })]);
    }
    expect(isDone).toBe(false);
    expect(waited[0]?.join()).toContain('malipo report');

    await client.query('commit');
    client.release();
    expect(await migrating).toEqual([NEXT]);
  });

  test('gives up when the lock is never free, naming who has it, and leaves the database as it was', async () => {
    const books = await open();
    const client = await books.openPool({ name: 'report' }).connect();
    await client.query('begin');
    await client.query('select count(*) from payments');
    const schema = next(ADD_COLUMN);
    await expect(migrate(books.owner, schema, turns({ turns: 2 }))).rejects.toMatchObject({
      plain: true,
      message: expect.stringMatching(/did not get the locks.*pid \d+, malipo report/) as string,
    });
    await client.query('rollback');
    client.release();
    expect(await isMigrated(books.pool, schema)).toBe(false);
    await refuseDamage(books.owner);
  });
});

describe('a program of the release before', () => {
  test.each([
    ['with the owner', (books: Books) => books.owner],
    ['without the owner', (books: Books) => books.pool],
  ])('starts on the newer schema %s, and changes nothing', async (_what, ownerOf) => {
    const books = await open();
    const newer = next(`${ADD_COLUMN}; ${ADD_TABLE}`);
    await prepareDatabase(books.owner, books.pool, newer);
    const prepared = await prepareDatabase(ownerOf(books), books.pool, SCHEMA);
    // On a cluster the service is the owner of its tables, which is a problem of its role.
    const nothing = CITUS_URL === undefined ? { applied: [], roleProblems: [] } : { applied: [] };
    expect(prepared).toMatchObject(nothing);
    // The newer release keeps what it was granted, and starts again.
    expect(await prepareDatabase(books.pool, books.pool, newer)).toMatchObject(nothing);
    await books.pool.query(`insert into notes values (1, 'kept')`);
    for (const schema of [SCHEMA, newer]) expect(await isMigrated(books.pool, schema)).toBe(true);
  });

  test.each([
    ['two releases behind', {}, SCHEMA.release - 1],
    ['that a migration excludes', { oldestRelease: SCHEMA.release + 1 }, SCHEMA.release],
  ])('%s is refused', async (_what, more, release) => {
    const books = await open();
    await prepareDatabase(books.owner, books.pool, next(ADD_COLUMN, more));
    const old = { ...SCHEMA, release };
    for (const owner of [books.owner, books.pool]) {
      await expect(prepareDatabase(owner, books.pool, old)).rejects.toMatchObject({
        plain: true,
        message: expect.stringContaining(
          `${NEXT} was applied to it, which this program does not have and which programs before release`,
        ) as string,
      });
    }
  });

  test('one release further is accepted if the migration allows it', async () => {
    const books = await open();
    await prepareDatabase(
      books.owner,
      books.pool,
      next(ADD_COLUMN, { oldestRelease: SCHEMA.release - 1 }),
    );
    const old = { ...SCHEMA, release: SCHEMA.release - 1 };
    expect(await prepareDatabase(books.owner, books.pool, old)).toMatchObject({ applied: [] });
  });
});

test('turns end with the error of a statement that is wrong', async () => {
  const books = await open();
  const pool = createPool({ url: books.ownerUrl, max: 1, name: 'migrator' });
  await expect(migrate(pool, next('alter table nowhere add column x text'))).rejects.toThrow(
    'nowhere',
  );
  await pool.end();
});
