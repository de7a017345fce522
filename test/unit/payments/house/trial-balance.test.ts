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
        debitCents: sum(account, 0),
        creditCents: sum(account, 1),
      }));
      const { debitCents, creditCents } = trialBalance(totals, []);
      expect(debitCents).toBe(creditCents);
      const uneven = trialBalance(totals, [{ account: 'float', balanceCents: 1n }]);
      expect(uneven.creditCents).not.toBe(uneven.debitCents);
    }),
  );
});

test('shows a balance on one side', () => {
  const { lines } = trialBalance(
    [{ account: 'operator-float:kplc', debitCents: 10n, creditCents: 4n }],
    [{ account: 'float', balanceCents: 6n }],
  );
  expect(lines).toEqual([
    {
      books: 'house',
      account: 'operator-float:kplc',
      class: 'asset',
      debitCents: 6n,
      creditCents: 0n,
    },
    { books: 'vendors', account: 'float', class: 'liability', debitCents: 0n, creditCents: 6n },
  ]);
  expect(classOf('vendors', 'unheard-of')).toBe('clearing');
});
