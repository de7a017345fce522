import fc from 'fast-check';
import { expect, test } from 'vitest';
import { trialBalance } from '../../../../src/payments/house/trial-balance.ts';
import { balanceSheetOf, profitOf } from '../../../../src/payments/reports/financial-statements.ts';

const NO_TITLES = new Map<string, string>();

const account = (name: string, openingCents: bigint, debitCents: bigint, creditCents: bigint) => ({
  ...{ account: name, openingCents, debitCents, creditCents },
});

test('income and expenses make the profit, and the rest is the balance sheet', () => {
  const balance = trialBalance(
    [
      account('bank:bank', -500n, 1_000n, 400n),
      account('equity:capital', 500n, 0n, 0n),
      account('expense:hosting', 0n, 300n, 0n),
      account('income:interest', 0n, 0n, 100n),
    ],
    [
      account('float', 0n, 0n, 200n),
      account('operator:kplc', 0n, 0n, 350n),
      account('fees', 0n, 0n, 250n),
    ],
  );
  const titles = new Map([['expense:hosting', 'Servers']]);
  const itself = (books: 'house' | 'vendors', name: string) => ({
    ...{ books, account: name, title: null, parts: [{ books, account: name }] },
  });
  expect(profitOf(balance, titles)).toEqual({
    lines: [
      { ...itself('house', 'income:interest'), class: 'income', amountCents: 100n },
      { ...itself('vendors', 'fees'), class: 'income', amountCents: 250n },
      {
        ...itself('house', 'expense:hosting'),
        class: 'expense',
        amountCents: -300n,
        title: 'Servers',
      },
    ],
    totalCents: 50n,
  });
  expect(balanceSheetOf(balance, titles)).toMatchObject({
    lines: [
      { account: 'bank:bank', openingCents: 500n, closingCents: 1_100n },
      {
        ...{ account: 'operator-float:kplc', openingCents: 0n, closingCents: -350n },
        parts: [{ books: 'vendors', account: 'operator:kplc' }],
      },
      { account: 'float', openingCents: 0n, closingCents: 200n },
      { account: 'equity:capital', openingCents: 500n, closingCents: 500n },
    ],
    assets: { openingCents: 500n, closingCents: 750n },
    liabilities: { openingCents: 0n, closingCents: 200n },
    equity: { openingCents: 500n, closingCents: 500n },
    profit: { openingCents: 0n, closingCents: 50n },
    isEven: true,
  });
});

test('an account that is not in the chart makes the balance sheet uneven', () => {
  const balance = trialBalance([account('bank:bank', 0n, 5n, 0n), account('who', 0n, 0n, 5n)], []);
  const sheet = balanceSheetOf(balance, NO_TITLES);
  expect(balance.isEven).toBe(true);
  expect(sheet.isEven).toBe(false);
  expect(sheet.lines.map(({ class: of }) => of)).toEqual(['clearing', 'asset']);
});

test('for any transfers, assets are liabilities, equity and profit, and the profit is what they posted', () => {
  const house = ['bank:a', 'operator-float:a', 'vat-paid', 'equity:capital', 'expense:rent'];
  const vendors = ['collected', 'float', 'operator:a', 'fees', 'vat', 'cost:a', 'bank:a'];
  const transfers = (names: readonly string[]) =>
    fc.array(
      fc.record({
        debit: fc.constantFrom(...names),
        credit: fc.constantFrom(...names),
        cents: fc.bigInt({ min: 1n, max: 10n ** 12n }),
        isBefore: fc.boolean(),
      }),
    );
  fc.assert(
    fc.property(transfers(house), transfers(vendors), (ours, theirs) => {
      const periods = (names: readonly string[], of: typeof ours) =>
        names.map((name) => {
          const sum = (side: 'debit' | 'credit', isBefore: boolean): bigint =>
            of
              .filter((row) => row[side] === name && row.isBefore === isBefore)
              .reduce((total, { cents }) => total + cents, 0n);
          const openingCents = sum('credit', true) - sum('debit', true);
          return account(name, openingCents, sum('debit', false), sum('credit', false));
        });
      const balance = trialBalance(periods(house, ours), periods(vendors, theirs));
      const profit = [...ours, ...theirs].reduce((total, { debit, credit, cents, isBefore }) => {
        const isProfit = (name: string): boolean => /^(?:expense|fees|cost)/.test(name);
        if (isBefore) return total;
        return total + (isProfit(credit) ? cents : 0n) - (isProfit(debit) ? cents : 0n);
      }, 0n);
      const sheet = balanceSheetOf(balance, NO_TITLES);
      expect(sheet.isEven).toBe(true);
      expect(profitOf(balance, NO_TITLES).totalCents).toBe(profit);
      expect(sheet.profit.closingCents - sheet.profit.openingCents).toBe(profit);
    }),
  );
});
