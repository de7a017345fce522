import { checkLedger } from '../../src/payments/audit/check.ts';
import type { Books } from './money-fixture.ts';

/** The names of the invariants that the ledger check finds violated, each once. */
export async function brokenInvariants({ pool, ledgerMac }: Books): Promise<string[]> {
  const { violations } = await checkLedger(pool, { mac: ledgerMac });
  return [...new Set(violations.map(({ invariant }) => invariant))].toSorted();
}
