/**
 * A vendor's accounts. `external` is where money comes from, and `exposure` where it comes from when
 * the vendor has spent it already: what it owes the house. Their balances may be below zero; the
 * others hold what of the money is where: collected → float → reserved → operator:<code> and fees;
 * receivable:<code> is what an operator has to give back.
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

/** The accounts of a new vendor; those of operators follow with its first payments. */
export const FIRST_ACCOUNTS = ['collected', 'external', 'fees', 'float', 'reserved'] as const;

/** What a transfer did, told by the accounts it went between. */
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
