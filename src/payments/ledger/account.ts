/**
 * A vendor's accounts. `bank:<code>` and `collector:<name>` are where money comes from: an account of ours, or a
 * collector that has it. `unallocated` is where it comes from if it waited for its vendor, and where it goes if it
 * turns out to be another's; `opening` is where the balances come from that the vendor had at
 * another system; `exposure` is where it comes from if
 * the vendor has already spent it, and is what the vendor owes us. Their balances may be negative.
 * `reversals` is what was taken from the vendor because the bank took it back from us.
 * The other accounts show where the vendor's money is: collected → float → reserved →
 * operator:<code>, fees, excise and vat; receivable:<code> is what an operator has to give back. held is
 * what waits for a transfer to the vendor's own bank or for the decision about a disbursement; the transfer goes to
 * `bank:<code>`, ours that it leaves.
 *
 * claims:<code> is what we claim of an operator, for what receivable:<code> says it took from our float; zero or below.
 * losses:<code> is what we bear of what an operator took, written_off what vendors owed us and we gave up; both
 * are zero or below.
 *
 * Our own terms with an operator are alongside: cost:<code> is what it charged us, zero or below;
 * commission:<code> what it gave us; commission_due:<code> what of that it still has to pay, zero or
 * below.
 */
export type AccountName =
  | IncomeAccount
  | 'reversals'
  | 'opening'
  | 'exposure'
  | 'collected'
  | 'float'
  | 'reserved'
  | 'fees'
  | 'vat'
  | 'excise'
  | 'held'
  | 'written_off'
  | `claims:${string}`
  | `losses:${string}`
  | `operator:${string}`
  | `receivable:${string}`
  | `cost:${string}`
  | `commission:${string}`
  | `commission_due:${string}`;

/** Where a vendor's income comes from. */
export type IncomeAccount = `bank:${string}` | `collector:${string}` | 'unallocated';

/** The accounts of a new vendor; others are created by the first transfer that needs them. */
export const FIRST_ACCOUNTS = ['collected', 'fees', 'float', 'reserved'] as const;

/** The accounts that hold a vendor's own money with us. */
export const VENDORS_MONEY = ['collected', 'float', 'reserved', 'held'] as const;

export function isVendorsMoney(account: string): boolean {
  return (VENDORS_MONEY as readonly string[]).includes(account);
}

/** SQL that is true for these accounts. @param column of an account. */
export const isVendorsMoneySql = (column: string): string =>
  `${column} in (${VENDORS_MONEY.map((account) => `'${account}'`).join(', ')})`;

export const isIncomeAccount = (account: string): account is IncomeAccount =>
  account === 'unallocated' || /^(bank|collector):/.test(account);

/** SQL that is true for an account where a vendor's income comes from. @param column of an account. */
export const isIncomeSql = (column: string): string =>
  `(${column} = 'unallocated' or ${column} like 'bank:%' or ${column} like 'collector:%')`;

/** Names the movement of a transfer from its two accounts. */
export function movementName(debitAccount: string, creditAccount: string): string {
  const pair = `${debitAccount.split(':')[0]}>${creditAccount.split(':')[0]}`;
  return MOVEMENTS[pair] ?? 'correction';
}

const MOVEMENTS: Readonly<Record<string, string>> = {
  'bank>collected': 'collected',
  'collector>collected': 'collected',
  'unallocated>collected': 'collected',
  'opening>collected': 'opening',
  'opening>float': 'opening',
  'collected>float': 'funded',
  'collected>held': 'held',
  'held>collected': 'returned',
  'float>held': 'held',
  'held>float': 'returned',
  'held>bank': 'paid out',
  'collected>bank': 'paid out',
  'float>bank': 'paid out',
  'exposure>bank': 'paid out',
  'float>reserved': 'reserved',
  'reserved>operator': 'paid',
  'reserved>fees': 'fee',
  'reserved>vat': 'VAT',
  'reserved>excise': 'excise duty',
  'reserved>float': 'released',
  'cost>operator': 'cost',
  'operator>commission': 'commission',
  'commission_due>commission': 'commission',
};

const OWN_TERMS = '^(cost|commission|commission_due):';

/** An account of our own terms with an operator, which are not the vendor's business. */
export function isOwnTermsAccount(account: string): boolean {
  return new RegExp(OWN_TERMS).test(account);
}

/** The condition of `isOwnTermsAccount` in SQL. @param column of an account. */
export const isOwnTermsAccountSql = (column: string): string => `${column} ~ '${OWN_TERMS}'`;

/** SQL that is true for a transfer from or to such an account. @param transfer alias of the table. */
export const isOwnTermsTransfer = (transfer: string): string =>
  `(${isOwnTermsAccountSql(`${transfer}.debit_account`)} or ${isOwnTermsAccountSql(`${transfer}.credit_account`)})`;
