import { isVendorsMoney } from '../ledger/account.ts';

/** Whose statement. */
export type StatementOf =
  | {
      readonly kind: 'vendor';
      readonly vendorId: number;
      /** With what operators charge and give us, which is not the vendor's business. */
      readonly withOwnTerms: boolean;
    }
  | { readonly kind: 'operator'; readonly operatorCode: string };

/** Cents by account. */
export type Balances = ReadonlyMap<string, bigint>;

/** The house's account of our float with an operator. */
export const floatAccount = (operatorCode: string): string => `operator-float:${operatorCode}`;

/**
 * True if an account is a part of the statement's balance. A vendor's is its money with us, as closed
 * days count it; an operator's is our float: what the house put there less what vendors' payments
 * consumed.
 */
export function isOwnAccount(of: StatementOf, account: string): boolean {
  if (of.kind === 'vendor') return isVendorsMoney(account);
  const code = of.operatorCode;
  return [floatAccount(code), `operator:${code}`, `receivable:${code}`].includes(account);
}

/** By how much a transfer changes the statement's balance. Our float grows by a debit. */
export function changeOf(
  of: StatementOf,
  transfer: {
    readonly debitAccount: string;
    readonly creditAccount: string;
    readonly amountCents: bigint;
  },
): bigint {
  const sign =
    Number(isOwnAccount(of, transfer.creditAccount)) -
    Number(isOwnAccount(of, transfer.debitAccount));
  const credit = BigInt(sign) * transfer.amountCents;
  return of.kind === 'vendor' ? credit : -credit;
}

/** By how much a transfer changes the vendor's float; 0 of an operator. */
export function floatChangeOf(
  of: StatementOf,
  { debitAccount, creditAccount, amountCents }: Parameters<typeof changeOf>[1],
): bigint {
  if (of.kind === 'operator') return 0n;
  return BigInt(Number(creditAccount === 'float') - Number(debitAccount === 'float')) * amountCents;
}

/**
 * Balances as a vendor sees them: our terms with an operator are transfers between these accounts and the
 * operator's only, so adding them to it takes them away.
 */
export function foldOwnTerms(of: StatementOf, balances: Balances): Balances {
  if (of.kind === 'operator' || of.withOwnTerms) return balances;
  const folded = new Map<string, bigint>();
  for (const [account, cents] of balances) {
    const name = account.replace(/^(cost|commission|commission_due):/, 'operator:');
    folded.set(name, (folded.get(name) ?? 0n) + cents);
  }
  return folded;
}
