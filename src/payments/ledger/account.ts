/**
 * A vendor's accounts. `external` is where money comes from; `exposure` is where it comes from if
 * the vendor has already spent it, and is what the vendor owes us. Their balances may be negative.
 * The other accounts show where the vendor's money is: collected → float → reserved →
 * operator:<code> and fees; receivable:<code> is what an operator has to give back.
 */
export type AccountName =
  | 'external'
  | 'exposure'
  | 'collected'
  | 'float'
  | 'reserved'
  | 'fees'
  | `operator:${string}`
  | `receivable:${string}`;

/** The accounts of a new vendor; those for operators are created by its first payments. */
export const FIRST_ACCOUNTS = ['collected', 'external', 'fees', 'float', 'reserved'] as const;

/** What a transfer did, derived from its two accounts. */
export function movementName(debitAccount: string, creditAccount: string): string {
  const pair = `${debitAccount.split(':')[0]}>${creditAccount.split(':')[0]}`;
  return MOVEMENTS[pair] ?? 'correction';
}

const MOVEMENTS: Readonly<Record<string, string>> = {
  'external>collected': 'collected',
  'collected>float': 'funded',
  'float>reserved': 'reserved',
  'reserved>operator': 'paid',
  'reserved>fees': 'fee',
  'reserved>float': 'released',
};
