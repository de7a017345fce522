import { findLost } from '../payments/quarantine/read-lost.ts';
import { requireNoneLost } from '../payments/quarantine/unknown.ts';
import type { PaymentQuery } from '../payments/timeline/query.ts';
import type { Vendor } from '../parties/vendor.ts';
import type { Pool } from '../platform/db/pool.ts';
import { lostView } from './payment-view.ts';

/**
 * The payments that a restore lost, where a search finds none in the ledger.
 * Throws: `quarantine` if one of them may be what was searched for.
 */
export async function searchLost(
  pool: Pool,
  { term }: PaymentQuery,
  { vendorId }: Vendor,
): Promise<ReturnType<typeof lostView>[]> {
  if (typeof term !== 'object') return [];
  const { location, merchantReference } = term;
  if (location?.vendorId === vendorId) {
    const lost = await findLost(pool, location);
    if (lost !== undefined) return [lostView(lost)];
  }
  const field = location === undefined ? ownField(merchantReference) : 'reference';
  await requireNoneLost(pool, vendorId, { field });
  return [];
}

function ownField(merchantReference: string | null): string {
  return merchantReference === null ? 'account' : 'merchant_reference';
}
