import fc from 'fast-check';
import { expect, test } from 'vitest';
import { accountKinds, lineNameOf } from '../../../../src/payments/house/account.ts';
import type { Books } from '../../../../src/payments/house/account.ts';
import { SUMMARY_DIMENSIONS } from '../../../../src/payments/summaries/dimensions.ts';
import { codeOf, summarize } from '../../../../src/payments/summaries/summary.ts';
import type { Posted } from '../../../../src/payments/summaries/summary.ts';

const accountOf = (books: Books) =>
  fc.constantFrom(...accountKinds(books)).map((kind) => `${kind}:kplc`);
const posted = fc.constantFrom<Books>('house', 'vendors').chain((books) =>
  fc.record<Posted>({
    books: fc.constant(books),
    day: fc.constantFrom('2026-10-31', '2026-11-30'),
    vendorId: books === 'house' ? fc.constant(null) : fc.constantFrom(1, 2),
    billerCode: fc.constantFrom(null, 'power', 'water'),
    operatorCode: fc.constantFrom(null, 'kplc', 'safaricom'),
    debitAccount: accountOf(books),
    creditAccount: accountOf(books),
    amountCents: fc.bigInt({ min: 1n, max: 10n ** 12n }),
  }),
);

test('for any postings and dimensions, each date balances and each account has what was posted to it', () => {
  fc.assert(
    fc.property(fc.array(posted), fc.subarray([...SUMMARY_DIMENSIONS]), (rows, dimensions) => {
      const lines = summarize(rows, dimensions);
      for (const of of Map.groupBy(lines, ({ day }) => day).values()) {
        const left = of.reduce((sum, line) => sum + line.debitCents - line.creditCents, 0n);
        expect(left).toBe(0n);
      }
      const debits = (account: string): bigint =>
        rows
          .filter((row) => lineNameOf(row.books, row.debitAccount).account === account)
          .reduce((sum, { amountCents }) => sum + amountCents, 0n);
      for (const [account, of] of Map.groupBy(lines, (line) => line.account)) {
        expect(of.reduce((sum, { debitCents }) => sum + debitCents, 0n)).toBe(debits(account));
      }
      const keys = lines.map(({ debitCents: _d, creditCents: _c, ...key }) => JSON.stringify(key));
      expect(new Set(keys).size).toBe(keys.length);
    }),
  );
});

test('lines are summed by what was asked for, billers only of income and expenses', () => {
  const row = (change: Partial<Posted>): Posted => ({
    ...{ books: 'vendors', day: '2026-11-30', vendorId: 7, billerCode: 'power' },
    ...{ operatorCode: 'kplc', debitAccount: 'reserved', creditAccount: 'fees' },
    amountCents: 100n,
    ...change,
  });
  const rows = [row({}), row({ billerCode: 'water' }), row({ creditAccount: 'operator:kplc' })];
  const shown = (dimensions: Parameters<typeof summarize>[1]) =>
    summarize(rows, dimensions).map((line) => [
      ...[line.account, line.vendorId, line.billerCode, line.operatorCode],
      line.creditCents - line.debitCents,
    ]);
  expect(shown([])).toEqual([
    ['fees', null, null, null, 200n],
    ['operator-float:kplc', null, null, null, 100n],
    ['reserved', null, null, null, -300n],
  ]);
  expect(shown(['vendor', 'biller', 'operator'])).toEqual([
    ['fees', 7, 'power', 'kplc', 100n],
    ['fees', 7, 'water', 'kplc', 100n],
    ['operator-float:kplc', 7, null, 'kplc', 100n],
    ['reserved', 7, null, null, -300n],
  ]);
});

test('no account of our books is called as one of the vendors’ that is another line', () => {
  const lines = (books: Books) =>
    accountKinds(books)
      .map((kind) => lineNameOf(books, kind))
      .filter((line) => line.books === books)
      .map(({ account }) => account);
  expect(lines('house').filter((account) => lines('vendors').includes(account))).toEqual([]);
});

test('an account has its own code, or that of its kind', () => {
  const codes = { 'operator-float': '1200', 'operator-float:kplc': '1201' };
  expect(codeOf('operator-float:kplc', codes)).toBe('1201');
  expect(codeOf('operator-float:safaricom', codes)).toBe('1200');
  expect(codeOf('fees', codes)).toBeUndefined();
});
