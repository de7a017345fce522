import type { OwnClass } from './account.ts';

/** The bank account that transfers go through unless they name another one, without `bank:`. */
export const MAIN_BANK = 'main';

/** Accounts that every installation has. The part before the colon is the class, or `bank`. */
export const STANDARD_ACCOUNTS: Readonly<Record<`${OwnClass | 'bank'}:${string}`, string>> = {
  [`bank:${MAIN_BANK}`]: 'Main bank account',
  'asset:input-vat': 'VAT on what we buy',
  'asset:withheld-tax': 'Tax that others withheld from us',
  'asset:deposits': 'Deposits and prepayments',
  'liability:payables': 'Suppliers',
  'liability:withheld-tax': 'Tax that we withheld from others',
  'liability:accruals': 'Accruals',
  'equity:capital': 'Capital',
  'equity:retained-earnings': 'Retained earnings',
  'income:interest': 'Interest',
  'income:other': 'Other income',
  'expense:bank-fees': 'Charges of banks',
  'expense:hosting': 'Servers and hosting',
  'expense:salaries': 'Salaries',
  'expense:professional-fees': 'Auditors and lawyers',
  'expense:tax': 'Income tax',
};
