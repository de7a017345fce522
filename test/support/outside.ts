import { isIncomeAccount } from '../../src/payments/ledger/account.ts';

/** Balances that are not zero, with all accounts where a vendor's income comes from, and goes back to, as `outside`. */
export function foldOutside(balances: Readonly<Record<string, bigint>>): Record<string, bigint> {
  const folded: Record<string, bigint> = {};
  for (const [account, cents] of Object.entries(balances)) {
    const name = isIncomeAccount(account) || account === 'reversals' ? 'outside' : account;
    folded[name] = (folded[name] ?? 0n) + cents;
  }
  return Object.fromEntries(Object.entries(folded).filter(([, cents]) => cents !== 0n));
}
