/**
 * An account of the house. `bank:<code>` is an account of ours at a bank or a provider;
 * `operator-float:<code>` is our money with an operator, without what vendors' payments consumed;
 * `opening` is what was there when its books began, `vendors-opening` what the system that was used before says of the
 * money of vendors; `suspense` is money whose other side is not
 * known yet, such as a top-up that only the operator's statement shows; `unallocated` is money at a bank whose vendor
 * nobody knows, `reversals` money of vendors that a bank took back. The others are for journals:
 * what a collector has given us of what it has of vendors' money,
 * what an operator has paid of its commission, what we have paid of the VAT and of the excise duty, and own accounts
 * (`own-accounts.ts`), whose names begin with their class.
 */
export type HouseAccount =
  | `bank:${string}`
  | `collector:${string}`
  | `operator-float:${string}`
  | `operator-charges:${string}`
  | `commission-due:${string}`
  | `${OwnClass}:${string}`
  | 'vat-paid'
  | 'excise-paid'
  | 'opening'
  | 'vendors-opening'
  | 'suspense'
  | 'unallocated'
  | 'reversals';

/** The classes of accounts that people name. */
export const OWN_CLASSES = ['asset', 'liability', 'equity', 'income', 'expense'] as const;
export type OwnClass = (typeof OWN_CLASSES)[number];

/** Ours, or those of the vendors. */
export type Books = 'house' | 'vendors';

export type AccountClass =
  | 'asset'
  /** Its credits lower an asset. */
  | 'contra_asset'
  | 'liability'
  /** Its debits lower a liability. */
  | 'contra_liability'
  | 'equity'
  | 'income'
  | 'expense'
  /** An account that is not in the chart: `ledger check` finds it. */
  | 'clearing';

/** By the part of the name before the colon; vendors' accounts as the house sees them. */
const CLASSES: Readonly<Record<Books, Readonly<Record<string, AccountClass>>>> = {
  house: {
    bank: 'asset',
    // What collectors have given us of what they have.
    collector: 'contra_asset',
    // Money at a bank whose vendor nobody knows yet.
    unallocated: 'liability',
    // Money of vendors that a bank took back from us.
    reversals: 'asset',
    'operator-float': 'asset',
    'operator-charges': 'expense',
    // What operators have paid of it.
    'commission-due': 'contra_asset',
    'vat-paid': 'contra_liability',
    'excise-paid': 'contra_liability',
    asset: 'asset',
    liability: 'liability',
    equity: 'equity',
    income: 'income',
    expense: 'expense',
    // Both are zero once everything is booked that a trial balance of another system has.
    opening: 'equity',
    'vendors-opening': 'equity',
    // Mostly top-ups of which only the operator's statement is known: it lowers the bank that they came from.
    suspense: 'asset',
  },
  vendors: {
    bank: 'asset',
    // What collectors have of vendors' money.
    collector: 'asset',
    // What vendors got of it.
    unallocated: 'contra_liability',
    // What vendors gave back of it.
    reversals: 'contra_asset',
    // Against it stands what the trial balance of the other system says.
    opening: 'equity',
    // What vendors owe us.
    exposure: 'asset',
    // What operators owe us.
    claims: 'asset',
    collected: 'liability',
    float: 'liability',
    reserved: 'liability',
    held: 'liability',
    // What payments took from our float with the operator.
    operator: 'contra_asset',
    receivable: 'contra_asset',
    fees: 'income',
    commission: 'income',
    // What operators have to pay of it.
    commission_due: 'asset',
    cost: 'expense',
    losses: 'expense',
    written_off: 'expense',
    vat: 'liability',
    excise: 'liability',
  },
};

/** The parts before the colon of the names of accounts. */
export const accountKinds = (books: Books): string[] => Object.keys(CLASSES[books]);

/** The class of an account in a trial balance. */
export function classOf(books: Books, account: string): AccountClass {
  return CLASSES[books][account.split(':')[0] ?? ''] ?? 'clearing';
}

const OF_OPERATORS: ReadonlySet<string> = new Set([
  ...['operator-float', 'operator-charges', 'commission-due', 'commission_due', 'claims'],
  ...['losses', 'operator', 'receivable', 'cost', 'commission'],
]);

/** The operator that an account names; null: none. */
export function operatorOf(account: string): string | null {
  const [kind = '', code = null] = account.split(':');
  return OF_OPERATORS.has(kind) ? code : null;
}

/** A line of the trial balance, as an accountant knows it, and the accounts that it is made of. */
export interface LineName {
  readonly books: Books;
  readonly account: string;
  readonly class: AccountClass;
}

/** Accounts that lower another one are part of its line. By the part of the name before the colon. */
const LINES: Readonly<Record<Books, Readonly<Record<string, Omit<LineName, 'class'>>>>> = {
  house: {
    'vat-paid': { books: 'vendors', account: 'vat' },
    'excise-paid': { books: 'vendors', account: 'excise' },
  },
  vendors: {
    opening: { books: 'house', account: 'vendors-opening' },
    operator: { books: 'house', account: 'operator-float' },
    receivable: { books: 'house', account: 'operator-float' },
    commission_due: { books: 'house', account: 'commission-due' },
    bank: { books: 'house', account: 'bank' },
    collector: { books: 'house', account: 'collector' },
    unallocated: { books: 'house', account: 'unallocated' },
    reversals: { books: 'house', account: 'reversals' },
  },
};

/** Lines whose class is not that of the account with their name. */
const LINE_CLASSES: Readonly<Record<string, AccountClass>> = {
  'commission-due': 'asset',
  collector: 'asset',
};

/** The line of the trial balance that the account is part of. */
export function lineNameOf(books: Books, account: string): LineName {
  const [kind = '', ...rest] = account.split(':');
  const line = LINES[books][kind] ?? { books, account: kind };
  const name = [line.account, ...rest].join(':');
  const lineClass = LINE_CLASSES[line.account] ?? classOf(line.books, name);
  return { books: line.books, account: name, class: lineClass };
}
