import type { Pool } from '../../platform/db/pool.ts';
import { snapshot } from '../../platform/db/pool.ts';
import { decodeReference, encodeReference } from '../../parties/reference.ts';
import { timelineOf } from './assemble.ts';
import type { PaymentTimeline } from './assemble.ts';
import { readHistory, searchPayments } from './store.ts';

/**
 * The payment of this `ipay_reference`, in any case and archived or not, with its timeline, over one snapshot. Nothing
 * else is searched: another payment whose merchant reference or account is the same text must not hide it.
 */
export async function findPayment(
  pool: Pool,
  reference: string,
): Promise<PaymentTimeline | undefined> {
  const location = decodeReference(reference.toUpperCase());
  if (location === undefined) return undefined;
  const term = { location, merchantReference: null, accounts: [] };
  return await snapshot(pool, async (db) => {
    const [row] = await searchPayments(db, term, { limit: 1 });
    if (row === undefined) return undefined;
    const own = encodeReference(row.vendorId, row.paymentId);
    return timelineOf(row, await readHistory(db, [row], [own]));
  });
}
