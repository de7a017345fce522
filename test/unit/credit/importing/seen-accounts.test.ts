import { expect, test } from 'vitest';
import { SeenAccounts } from '../../../../src/credit/importing/seen-accounts.ts';
import { newVault } from '../../../support/credit-files.ts';

test('an account is new once, however many there are', () => {
  const vault = newVault();
  const keyOf = (number: number): string =>
    vault.index('account', `LENDER|${number}`).toString('latin1');
  const seen = new SeenAccounts();
  for (let number = 0; number < 20_000; number += 1) {
    if (!seen.add(keyOf(number))) throw new Error(`${number} is new`);
  }
  for (let number = 0; number < 20_000; number += 7) {
    if (seen.add(keyOf(number))) throw new Error(`${number} was there`);
  }
  expect(seen.add(keyOf(20_001))).toBe(true);
});
