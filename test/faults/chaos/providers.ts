import { PROVIDER_BILLERS, PROVIDER_OPERATORS } from '../../../sandbox/provider-operators.ts';
import type { PayingProvider, ProviderBiller } from '../../../sandbox/provider-operators.ts';
import { DECLARATIONS } from '../../../src/connectors/registry.ts';
import { DISBURSEMENTS } from '../../../src/payments/billers/biller.ts';

/** Vendors cannot pay disbursements, which two people make. */
const BILLERS = PROVIDER_BILLERS.filter(({ category }) => category !== DISBURSEMENTS);

/** The protocols that providers are emulated for, and `all`: every biller with all of its routes. */
export const PROVIDER_CHOICES: readonly string[] = [
  ...new Set(
    BILLERS.flatMap(({ providers }) => providers.map((code) => PROVIDER_OPERATORS[code].connector)),
  ),
  'all',
];

/** The billers of a run: those that the protocol can pay, through it alone, or all with all their routes. */
export function providerBillersOf(choice: string): readonly ProviderBiller[] {
  if (choice === 'all') return BILLERS;
  return BILLERS.flatMap((biller) =>
    biller.providers
      .filter((code) => PROVIDER_OPERATORS[code].connector === choice)
      .map((code) => ({ ...biller, providers: [code] as const })),
  );
}

/** Returns an account of the biller without its last four digits, a different one for each number. */
export function providerAccount(billerCode: string, number: number): string {
  const isPhone = ['airtime_top_up', 'wallet_top_up'].includes(billerCode);
  if (!isPhone) return `8${String(number).padStart(8, '0')}`;
  return `254${number < 10_000 ? '7' : '1'}${String(number % 10_000).padStart(4, '0')}`;
}

/**
 * Whether nobody can find out how the instruction ended: the operator cannot be asked at all, or only
 * by an id that a lost answer held.
 */
export function cannotBeAsked(operatorCode: string | null, handle: string | null): boolean {
  if (operatorCode === null || !Object.hasOwn(PROVIDER_OPERATORS, operatorCode)) return false;
  // Only a webhook says that Flutterwave has paid, and that of a failure is no proof.
  if (operatorCode === 'flutterwave') return true;
  if (operatorCode === 'kopokopo') return handle === null;
  const { connector } = PROVIDER_OPERATORS[operatorCode as PayingProvider];
  // The other configurations make their own references and query by them.
  if (connector === 'http') return false;
  const { statusBy, callbackTrust } = DECLARATIONS[connector] ?? {};
  // With `secret_url` the result is known only from a callback.
  if (statusBy === 'cannot_be_asked' || callbackTrust === 'secret_url') return true;
  return statusBy === 'operator_handle' && handle === null;
}

/** Operators whose "not found" proves nothing, because it is not established how soon they know an instruction. */
const UNPROVEN: ReadonlySet<string | null> = new Set(['airtelmoney', 'pesalink']);

/** Whether only people can find out that the operator never got the instruction. */
export function cannotProveAbsence(operatorCode: string | null): boolean {
  return UNPROVEN.has(operatorCode);
}
