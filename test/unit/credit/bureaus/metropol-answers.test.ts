import { expect, test } from 'vitest';
import { readAccounts } from '../../../../src/credit/bureaus/metropol/answers.ts';

// Balances of Metropol's accounts.

function balanceOf(text: string): { owed: bigint; status: string } | undefined {
  const answer = {
    has_error: false,
    api_code: '200',
    api_code_description: 'Success',
    account_info: [{ date_opened: '2020-01-31', current_balance: text, overdue_balance: text }],
  };
  const about = { mySector: 'bank', mobile: false, asOf: new Date(0) } as const;
  const [account] = readAccounts(JSON.stringify(answer), about) ?? [];
  return account && { owed: account.current.balanceCents, status: account.current.status };
}

test.each([
  ['12500.50', { owed: 1_250_050n, status: 'F' }],
  ['', { owed: 0n, status: 'A' }],
  ['-5', { owed: 0n, status: 'A' }],
  ['-0.50', { owed: 0n, status: 'A' }],
  ['-', undefined],
  ['--5', undefined],
  ['5-', undefined],
])('reads a balance of “%s”', (text, read) => {
  expect(balanceOf(text)).toEqual(read);
});
