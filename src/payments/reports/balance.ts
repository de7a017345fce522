import { snapshot } from '../../platform/db/pool.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { readVendorBalances, readVendorsPeriod } from '../house/store.ts';

/** Where a vendor's money with us is. */
export interface VendorBalance {
  readonly floatCents: bigint;
  readonly reservedCents: bigint;
  readonly collectedCents: bigint;
  /** It waits for a transfer to the vendor's bank. */
  readonly heldCents: bigint;
}

/**
 * A vendor's balance now, or immediately before an instant, which costs what was posted since then.
 * @param at undefined: now.
 */
export async function readVendorBalance(
  pool: Pool,
  vendorId: number,
  at: Date | undefined,
): Promise<VendorBalance> {
  const of = { vendorId, account: null };
  const accounts = await snapshot(pool, async (db) => {
    if (at === undefined) return await readVendorBalances(db, of);
    const period = await readVendorsPeriod(db, { from: at, to: at }, of);
    return period.map(({ account, openingCents }) => ({ account, balanceCents: openingCents }));
  });
  const centsOf = (wanted: string): bigint =>
    accounts.find(({ account }) => account === wanted)?.balanceCents ?? 0n;
  return {
    floatCents: centsOf('float'),
    reservedCents: centsOf('reserved'),
    collectedCents: centsOf('collected'),
    heldCents: centsOf('held'),
  };
}
