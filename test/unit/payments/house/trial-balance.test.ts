import fc from 'fast-check';
import { expect, test } from 'vitest';
import { classOf } from '../../../../src/payments/house/account.ts';
import { trialBalance } from '../../../../src/payments/house/trial-balance.ts';

test('is even for any transfers, and uneven if one side is missing', () => {
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
  expect(lines).toEqual([
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
