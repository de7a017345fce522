import fc from 'fast-check';
import { expect, test } from 'vitest';
import { requireBalanced, sumOf, transfersOf } from '../../../../src/payments/house/journal.ts';
import type { JournalLine } from '../../../../src/payments/house/journal.ts';

const line = (account: string, side: 'debit' | 'credit', amountCents: bigint): JournalLine => ({
  account,
  side,
  amountCents,
});

test.each<[string, JournalLine[]]>([
  ['has 2 to 20 lines', [line('suspense', 'debit', 1n)]],
  ['must equal', [line('suspense', 'debit', 2n), line('bank:kcb', 'credit', 1n)]],
  ['above zero', [line('suspense', 'debit', 0n), line('bank:kcb', 'credit', 0n)]],
  ['above zero', [line('suspense', 'debit', -1n), line('bank:kcb', 'credit', -1n)]],
  ['one line only', [line('suspense', 'debit', 1n), line('suspense', 'credit', 1n)]],
  [
    'house entry propose',
    [line('operator-float:kplc', 'debit', 1n), line('suspense', 'credit', 1n)],
  ],
  ['no account for journals', [line('float', 'debit', 1n), line('suspense', 'credit', 1n)]],
  ['no account for journals', [line('opening', 'debit', 1n), line('suspense', 'credit', 1n)]],
  ['no account for journals', [line('income:A B', 'debit', 1n), line('suspense', 'credit', 1n)]],
])('a journal that %s is refused otherwise', (text, lines) => {
  expect(() => requireBalanced(lines)).toThrow(text);
});

test('its transfers make exactly its lines', () => {
  const amounts = fc.array(fc.bigInt({ min: 1n, max: 10n ** 12n }), { minLength: 1, maxLength: 9 });
  fc.assert(
    fc.property(amounts, amounts, (debits, credits) => {
      const total = (cents: readonly bigint[]): bigint =>
        cents.reduce((sum, each) => sum + each, 0n);
      const lines = [
        ...debits.map((cents, index) => line(`income:d${index}`, 'debit', cents)),
        ...credits.map((cents, index) => line(`income:c${index}`, 'credit', cents)),
      ];
      const difference = total(debits) - total(credits);
      if (difference > 0n) lines.push(line('suspense', 'credit', difference));
      if (difference < 0n) lines.push(line('suspense', 'debit', -difference));
      requireBalanced(lines);
      const transfers = transfersOf(lines);
      for (const { account, side, amountCents } of lines) {
        const name = side === 'debit' ? 'debitAccount' : 'creditAccount';
        const posted = transfers.filter((each) => each[name] === account);
        expect(total(posted.map((each) => each.amountCents))).toBe(amountCents);
      }
      expect(total(transfers.map((each) => each.amountCents))).toBe(sumOf(lines, 'debit'));
    }),
  );
});
