/**
 * An account of the house. `bank:<source>` is an account of ours where money comes in;
 * `operator-float:<code>` is our money with an operator, without what vendors' payments consumed;
 * `opening` is what was there when its books began; `suspense` is money whose other side is not
 * known yet, such as a top-up that only the operator's statement shows. The others are for journals:
 * what an operator has paid of its commission, what we have paid of the VAT, and accounts that people
 * name.
 */
export type HouseAccount =
  | `bank:${string}`
  | `operator-float:${string}`
  | `operator-charges:${string}`
  | `commission-due:${string}`
  | `${'income' | 'expense' | 'equity'}:${string}`
  | 'vat-paid'
  | 'opening'
  | 'suspense';

export type AccountClass = 'asset' | 'liability' | 'equity' | 'income' | 'expense' | 'clearing';

/** By the part of the name before the colon; vendors' accounts as the house sees them. */
const CLASSES: Readonly<Record<'house' | 'vendors', Readonly<Record<string, AccountClass>>>> = {
  house: {
    bank: 'asset',
    'operator-float': 'asset',
    'operator-charges': 'expense',
    // Less what operators owe us: `commission_due` of the vendors.
    'commission-due': 'asset',
    // Less what we owe: `vat` of the vendors.
    'vat-paid': 'liability',
    income: 'income',
    expense: 'expense',
    equity: 'equity',
    opening: 'equity',
    suspense: 'clearing',
  },
  vendors: {
    // Money that came in for vendors, at our banks.
    external: 'asset',
    // What went from our banks to vendors.
    paid_out: 'asset',
    exposure: 'asset',
    collected: 'liability',
    float: 'liability',
    reserved: 'liability',
    // What payments took from our float with the operator.
    operator: 'asset',
    receivable: 'asset',
    fees: 'income',
    commission: 'income',
    // What an operator still has to pay of it.
    commission_due: 'asset',
    cost: 'expense',
    vat: 'liability',
  },
};

/** What kind of account it is, for a trial balance. */
export function classOf(books: 'house' | 'vendors', account: string): AccountClass {
  return CLASSES[books][account.split(':')[0] ?? ''] ?? 'clearing';
}
