import { afterEach, describe, expect, test } from 'vitest';
import { checkLedger } from '../../src/payments/audit/check.ts';
import { isMigrated, migrate, refuseDamage } from '../../src/platform/db/migrate.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { prepareDatabase } from '../../src/platform/db/prepare.ts';
import type { Schema, SqlFile } from '../../src/platform/db/schema.ts';
import { createPayments } from '../../src/payments/create/store.ts';
import { settlePayments } from '../../src/payments/settle/store.ts';
import { SCHEMA } from '../../src/schema.ts';
import { createInstructed, openBooks, paidReport } from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { newPayment } from '../support/new-transaction.ts';

// SQL functions change from release to release while processes of both run.

const EDITED = 'payments/functions/end_payments.sql';

const opened: Books[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map(async (books) => await books.close()));
});

async function open(): Promise<Books> {
  const books = await openBooks();
  opened.push(books);
  return books;
}

/** This version with one function in another text. */
function edited(name: string, edit: (sql: string) => string, release = SCHEMA.release) {
  const functions = SCHEMA.functions.map((file): SqlFile => {
    if (file.name !== name) return file;
    const sql = edit(file.sql);
    expect(sql).not.toBe(file.sql);
    return { name, sql, checksum: `of ${name} in release ${release}` };
  });
  return { ...SCHEMA, functions, release } satisfies Schema;
}

/** The edited text ends payments as before, and marks their messages. */
const marked = (sql: string): string =>
  sql.replace('message = s.message', `message = s.message || ' (edited)'`);

/** Creates and settles a payment with this pool, and returns the message that was kept. */
async function payWith(pool: Pool, books: Books): Promise<string | undefined> {
  const payment = newPayment({ vendorId: await books.addVendor(1_000_000n) });
  await createInstructed(pool, [payment]);
  expect(await settlePayments(pool, [paidReport(payment)])).toEqual(['settled']);
  const read = await books.pool.query<{ message: string }>(
    'select message from payments where payment_id = $1',
    [payment.paymentId],
  );
  return read.rows[0]?.message;
}

async function violations(books: Books, schema: Schema): Promise<string[]> {
  const { violations: found } = await checkLedger(books.pool, { schema });
  return found.map(({ detail }) => detail);
}

describe('an edited function', () => {
  test('takes effect at the next start, and processes of the earlier release continue', async () => {
    const books = await open();
    const before = books.openPool();
    expect(await payWith(before, books)).toBe('Paid');

    const next = edited(EDITED, marked, SCHEMA.release + 1);
    expect(await violations(books, next)).toEqual([
      `${EDITED} is not applied in this version’s text`,
    ]);
    const prepared = await prepareDatabase(books.owner, books.openPool(), next);
    expect(prepared).toMatchObject({ applied: [EDITED], roleProblems: [] });

    // The connection that prepared the statements before, and a new one.
    expect(await payWith(before, books)).toBe('Paid (edited)');
    expect(await payWith(books.openPool(), books)).toBe('Paid (edited)');
    for (const schema of [SCHEMA, next]) {
      expect(await isMigrated(before, schema)).toBe(true);
      expect(await violations(books, schema)).toEqual([]);
    }
    await refuseDamage(before);
    expect(await migrate(books.owner, next)).toEqual([]);
  });

  test('a start of the previous release does not overwrite an edited function', async () => {
    const books = await open();
    await migrate(books.owner, edited(EDITED, marked, SCHEMA.release + 1));
    const { applied } = await prepareDatabase(books.owner, books.openPool(), SCHEMA);
    expect(applied).toEqual([]);
    // A process without the owner's URL also starts.
    await prepareDatabase(books.pool, books.pool, SCHEMA);
    expect(await payWith(books.pool, books)).toBe('Paid (edited)');
  });

  test('an edited function is also applied within one release, where the last start wins', async () => {
    const books = await open();
    expect(await migrate(books.owner, edited(EDITED, marked))).toEqual([EDITED]);
    expect(await payWith(books.pool, books)).toBe('Paid (edited)');
    expect(await migrate(books.owner, SCHEMA)).toEqual([EDITED]);
    expect(await payWith(books.pool, books)).toBe('Paid');
  });

  test('keeps the runtime role from starting until the owner has applied it', async () => {
    const books = await open();
    for (const release of [SCHEMA.release, SCHEMA.release + 1]) {
      const next = edited(EDITED, marked, release);
      await expect(prepareDatabase(books.pool, books.pool, next)).rejects.toMatchObject({
        plain: true,
        message: expect.stringContaining('malipo -- migrate') as string,
      });
    }
    expect(await isMigrated(books.pool, edited(EDITED, marked, SCHEMA.release + 1))).toBe(false);
  });
});

describe('a set of functions', () => {
  test('the functions are applied all together or not at all', async () => {
    const books = await open();
    const [first] = SCHEMA.functions;
    const broken = edited(EDITED, () => 'select no_such_column');
    const both = {
      ...broken,
      functions: broken.functions.map((file) =>
        file.name === first?.name ? { ...file, checksum: 'changed' } : file,
      ),
    };
    await expect(migrate(books.owner, both)).rejects.toThrow('no_such_column');
    expect(await violations(books, SCHEMA)).toEqual([]);
  });

  test('has one signature of each function', async () => {
    const books = await open();
    const more = edited('payments/functions/create_payments.sql', (sql) =>
      sql.replace('\n) returns setof', ',\n  p_more integer default 0\n) returns setof'),
    );
    await expect(migrate(books.owner, more)).rejects.toThrow(
      'The database has several signatures of create_payments',
    );
  });

  test('functions are not applied over damage, which would be recorded as intended', async () => {
    const books = await open();
    await books.owner.query('drop index payments_by_reference');
    await expect(migrate(books.owner, edited(EDITED, marked))).rejects.toThrow(
      'index payments_by_reference of payments is missing',
    );
  });

  test('keeps its privileges when it is applied again', async () => {
    const books = await open();
    const owned = 'payments/functions/settle_payments.sql';
    await migrate(
      books.owner,
      edited(owned, (sql) => sql.replace('begin\n', 'begin\n  -- edited\n')),
    );
    const vendorId = await books.addVendor(1_000n);
    expect(await createPayments(books.pool, [newPayment({ vendorId })])).toHaveLength(1);
    const read = await books.owner.query<{ is_public: boolean }>(
      `select has_function_privilege('public', oid, 'execute') as is_public from pg_proc
       where proname = 'settle_payments'`,
    );
    expect(read.rows).toEqual([{ is_public: false }]);
  });
});

test('a function that was changed outside of the files is damage', async () => {
  const books = await open();
  await books.owner.query('alter function settle_payments security invoker');
  const [damage] = await violations(books, SCHEMA);
  expect(damage).toMatch(/^function settle_payments\(.*\) is changed$/);
  const pool = createPool({ url: books.url, max: 1, name: 'test' });
  await expect(refuseDamage(pool)).rejects.toThrow('settle_payments');
  await pool.end();
});
