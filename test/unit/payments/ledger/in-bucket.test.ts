import { expect, test } from 'vitest';
import { inBucket } from '../../../../src/payments/ledger/in-bucket.ts';
import { INVARIANTS } from '../../../../src/payments/audit/invariants.ts';
import { PAYMENTS_TABLES } from '../../../../src/payments/tables.ts';

test('queries read each of their tables once more, in one bucket', () => {
  const sql = 'select a.vendor_id from accounts a join transfers t using (bucket, vendor_id)';
  expect(inBucket(sql, 3, true)).toBe(
    'with accounts as not materialized (select * from accounts where bucket = 3), ' +
      'transfers as not materialized (select * from transfers where bucket = 3) ' +
      `select * from (${sql}) found`,
  );
});

test('rows of the coordinator are those of the bucket’s vendors', () => {
  const limited = 'select * from collections where bucket_of(vendor_id) = 5';
  const sql = 'select vendor_id from collections';
  expect(inBucket(sql, 5, true)).toContain(`collections as materialized (${limited})`);
  expect(inBucket(sql, 5, false)).toContain(`collections as not materialized (${limited})`);
});

test('a query of the catalog stays as it is', () => {
  expect(inBucket('select 1 from pg_trigger', 0, true)).toBe('select 1 from pg_trigger');
});

test('only a number can be a bucket', () => {
  expect(() => inBucket('select 1', 1.5, false)).toThrow('1.5 is no bucket');
});

test('an invariant that is checked bucket by bucket reads no other table of the coordinator', () => {
  const local = Object.keys(PAYMENTS_TABLES).filter((table) => PAYMENTS_TABLES[table] === 'local');
  for (const { name, sql, overall } of INVARIANTS) {
    if (overall === true) continue;
    const prefixed = inBucket(sql, 0, true);
    const unlimited = local.filter(
      (table) => new RegExp(`\\b${table}\\b`).test(sql) && !prefixed.includes(`${table} as `),
    );
    expect([name, ...unlimited]).toEqual([name]);
  }
});
