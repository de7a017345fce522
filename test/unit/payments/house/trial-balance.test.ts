import fc from 'fast-check';
import { expect, test } from 'vitest';
import { classOf } from '../../../../src/payments/house/account.ts';
import { trialBalance } from '../../../../src/payments/house/trial-balance.ts';

test('the trial balance is even for any transfers, and uneven if one side is missing', () => {
  const accounts = ['bank:a', 'operator-float:kplc', 'operator-charges:kplc', 'suspense'];
  const transfer = fc.tuple(
    fc.constantFrom(...accounts),
    fc.constantFrom(...accounts),
    fc.bigInt({ min: 1n, max: 10n ** 12n }),
  );
  fc.assert(
    fc.property(fc.array(transfer, { minLength: 1 }), (transfers) => {
      const sum = (account: string, side: 0 | 1): bigint =>
        transfers.reduce((total, row) => total + (row[side] === account ? row[2] : 0n), 0n);
      const totals = accounts.map((account) => ({
        account,
        openingCents: 0n,
        debitCents: sum(account, 0),
        creditCents: sum(account, 1),
      }));
      expect(trialBalance(totals, []).isEven).toBe(true);
      const more = { account: 'float', openingCents: 0n, debitCents: 0n, creditCents: 1n };
      expect(trialBalance(totals, [more]).isEven).toBe(false);
      // The two differences, of different times, cancel out only at the end.
      const before = { account: 'fees', openingCents: -1n, debitCents: 0n, creditCents: 0n };
      const both = trialBalance(totals, [more, before]);
      expect(both.total.debitCents).toBe(both.total.creditCents);
      expect(both.isEven).toBe(false);
    }),
  );
});

test('shows a balance on one side', () => {
  const { lines } = trialBalance(
    [{ account: 'operator-float:kplc', openingCents: -2n, debitCents: 10n, creditCents: 4n }],
    [{ account: 'float', openingCents: 6n, debitCents: 0n, creditCents: 0n }],
  );
  expect(lines).toMatchObject([
    {
      books: 'house',
      account: 'operator-float:kplc',
      class: 'asset',
      openingDebitCents: 2n,
      openingCreditCents: 0n,
      debitsCents: 10n,
      creditsCents: 4n,
      debitCents: 8n,
      creditCents: 0n,
    },
    {
      books: 'vendors',
      account: 'float',
      class: 'liability',
      openingDebitCents: 0n,
      openingCreditCents: 6n,
      debitsCents: 0n,
      creditsCents: 0n,
      debitCents: 0n,
      creditCents: 6n,
    },
  ]);
  expect(classOf('vendors', 'unheard-of')).toBe('clearing');
});

test('our float with an operator is one line, an asset, with what payments took from it', () => {
  const posted = (account: string, debitCents: bigint, creditCents: bigint, openingCents = 0n) => ({
    ...{ account, debitCents, creditCents, openingCents },
  });
  const { lines, isEven } = trialBalance(
    [
      posted('operator-float:kplc', 50_000n, 0n, -10_000n),
      posted('commission-due:kplc', 0n, 200n),
      posted('vat-paid', 40n, 0n),
      posted('bank:kcb', 160n, 50_000n, 10_000n),
      posted('collector:till', 0n, 200n),
      posted('suspense', 200n, 0n),
    ],
    [
      posted('bank:kcb', 30_000n, 900n),
      posted('collector:till', 500n, 0n),
      posted('operator:kplc', 100n, 30_100n),
      posted('receivable:kplc', 0n, 500n),
      posted('collected', 900n, 0n),
      posted('commission_due:kplc', 300n, 0n),
      posted('commission', 0n, 300n),
    ],
  );
  const shown = lines.map((line) => [
    ...[line.account, line.class],
    ...[line.openingDebitCents, line.debitsCents, line.creditsCents],
    ...[line.debitCents, line.creditCents],
  ]);
  expect(shown).toEqual([
    ['bank:kcb', 'asset', 0n, 30_160n, 50_900n, 0n, 30_740n],
    ['collector:till', 'asset', 0n, 500n, 200n, 300n, 0n],
    ['commission-due:kplc', 'asset', 0n, 300n, 200n, 100n, 0n],
    ['operator-float:kplc', 'asset', 10_000n, 50_100n, 30_600n, 29_500n, 0n],
    ['suspense', 'asset', 0n, 200n, 0n, 200n, 0n],
    ['collected', 'liability', 0n, 900n, 0n, 900n, 0n],
    ['commission', 'income', 0n, 0n, 300n, 0n, 300n],
    ['vat', 'liability', 0n, 40n, 0n, 40n, 0n],
  ]);
  expect(isEven).toBe(true);
  const float = lines.find(({ account }) => account === 'operator-float:kplc');
  expect(float?.parts).toMatchObject([
    { books: 'house', account: 'operator-float:kplc', class: 'asset', debitCents: 60_000n },
    { books: 'vendors', account: 'operator:kplc', class: 'contra_asset', creditCents: 30_000n },
    { books: 'vendors', account: 'receivable:kplc', class: 'contra_asset', creditCents: 500n },
  ]);
});

test('a float whose top-ups nobody has booked is a line with a credit balance', () => {
  const consumed = { account: 'operator:kplc', openingCents: 0n, debitCents: 0n, creditCents: 5n };
  const { lines } = trialBalance([], [consumed]);
  expect(lines).toMatchObject([
    { books: 'house', account: 'operator-float:kplc', creditCents: 5n, parts: [{}] },
  ]);
});

test('what we bear, what we claim and debts that we wrote off are lines of their own', () => {
  const debit = (account: string, debitCents: bigint) => ({
    ...{ account, openingCents: 0n, debitCents, creditCents: 0n },
  });
  const { lines } = trialBalance(
    [],
    [
      ...[debit('losses:kplc', 100n), debit('losses:dstv', 20n), debit('claims:kplc', 300n)],
      ...[debit('written_off', 50n), debit('exposure', 70n), debit('collector:shop', 900n)],
    ],
  );
  expect(lines.map(({ account, class: of, debitCents }) => [account, of, debitCents])).toEqual([
    ['collector:shop', 'asset', 900n],
    ['claims:kplc', 'asset', 300n],
    ['exposure', 'asset', 70n],
    ['losses:dstv', 'expense', 20n],
    ['losses:kplc', 'expense', 100n],
    ['written_off', 'expense', 50n],
  ]);
});
