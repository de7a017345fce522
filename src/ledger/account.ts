/**
 * A vendor's accounts. `external` is where money comes from, the one balance below zero; the others
 * hold what of it is where: collected → float → reserved → operator:<code> and fees.
 */
export type AccountName =
  'external' | 'collected' | 'float' | 'reserved' | 'fees' | `operator:${string}`;

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
