import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/platform/base/ids.ts';
import { readCoverage } from '../../src/payments/reconciliation/covered-store.ts';
import { openBooks, OPERATOR } from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';

let books: Books;
beforeAll(async () => {
  books = await openBooks();
  for (const [from, to, complete] of [
    [0, 10, true],
    [10, 20, true],
    [15, 30, true],
    [30, 40, false],
    [50, 60, true],
  ] as const) {
    await books.pool.query(
      `insert into operator_statements (statement_id, operator, period_start, period_end,
         file_sha256, imported_at, complete, opening_cents, closing_cents)
       values ($1, $2, $3, $4, $5, now(), $6, 0, 0)`,
      [newId(), OPERATOR, at(from), at(to), Buffer.from(newId()), complete],
    );
  }
});
afterAll(async () => {
  await books.close();
});

function at(minutes: number): Date {
  return new Date(Date.UTC(2026, 2, 1, 8, minutes));
}

describe('the union of complete statements', () => {
  test.each([
    [0, 30, true],
    [5, 25, true],
    [25, 31, false],
    [30, 40, false],
    [-1, 5, false],
    [50, 60, true],
    [55, 61, false],
    [0, 60, false],
  ])('covers %s to %s: %s', async (from, to, covered) => {
    const covers = await readCoverage(books.pool, OPERATOR, 'all');
    expect(covers(at(from), at(to))).toBe(covered);
    const others = await readCoverage(books.pool, 'airtel', 'all');
    expect(others(at(from), at(to))).toBe(false);
  });
});
