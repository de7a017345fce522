/**
 * A vendor's accounts. `external` is where money comes from, `opening` where the balances come from that it had at
 * another system; `exposure` is where it comes from if
 * the vendor has already spent it, and is what the vendor owes us. Their balances may be negative.
 * The other accounts show where the vendor's money is: collected → float → reserved →
 * operator:<code>, fees, excise and vat; receivable:<code> is what an operator has to give back. held is
 * what waits for a transfer to the vendor's own bank or for the decision about a disbursement, paid_out what was
 * transferred to the bank.
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
  | 'external'
  | 'opening'
  | 'exposure'
  | 'collected'
  | 'float'
  | 'reserved'
  | 'fees'
  | 'vat'
  | 'excise'
  | 'held'
  | 'paid_out'
  | 'written_off'
  | `claims:${string}`
  | `losses:${string}`
  | `operator:${string}`
  | `receivable:${string}`
  | `cost:${string}`
  | `commission:${string}`
  | `commission_due:${string}`;

/** The accounts of a new vendor; those for operators are created by its first payments. */
export const FIRST_ACCOUNTS = ['collected', 'external', 'fees', 'float', 'reserved'] as const;

/** The accounts that hold a vendor's own money with us. */
export const VENDORS_MONEY = ['collected', 'float', 'reserved', 'held'] as const;

export function isVendorsMoney(account: string): boolean {
  return (VENDORS_MONEY as readonly string[]).includes(account);
}

/** SQL that is true for these accounts. @param column of an account. */
export const isVendorsMoneySql = (column: string): string =>
  `${column} in (${VENDORS_MONEY.map((account) => `'${account}'`).join(', ')})`;

/** Names the movement of a transfer from its two accounts. */
export function movementName(debitAccount: string, creditAccount: string): string {
  const pair = `${debitAccount.split(':')[0]}>${creditAccount.split(':')[0]}`;
  return MOVEMENTS[pair] ?? 'correction';
}

const MOVEMENTS: Readonly<Record<string, string>> = {
  'external>collected': 'collected',
  'opening>collected': 'opening',
  'opening>float': 'opening',
  'collected>float': 'funded',
  'collected>held': 'held',
  'held>collected': 'returned',
  'float>held': 'held',
  'held>float': 'returned',
  'held>paid_out': 'paid out',
  'collected>paid_out': 'paid out',
  'float>paid_out': 'paid out',
  'exposure>paid_out': 'paid out',
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
