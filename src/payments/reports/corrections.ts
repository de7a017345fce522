import { readVids } from '../../parties/read-vendors.ts';
import { encodeReference } from '../../parties/reference.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { BookPeriod } from '../house/store.ts';
import { listCorrectionTransfers } from './corrections-store.ts';
import type { CorrectionTransfer } from './corrections-store.ts';

/** Two people decide each, so that a period has few. */
export const MAX_CORRECTIONS = 10_000;

/** A transfer of a correction, naming payment and case. */
export interface Correction extends Omit<CorrectionTransfer, 'paymentId' | 'caseVendorId'> {
  /** Null: our own accounts. */
  readonly vid: string | null;
  /** The payment's reference; null: the correction is about no payment of a vendor. */
  readonly reference: string | null;
}

/** The corrections of a period, oldest first. Throws: `PlainError` if there are too many. */
export async function reportCorrections(pool: Pool, period: BookPeriod): Promise<Correction[]> {
  const rows = await listCorrectionTransfers(pool, period, MAX_CORRECTIONS + 1);
  if (rows.length > MAX_CORRECTIONS) {
    throw new PlainError(
      `There are more than ${MAX_CORRECTIONS} corrections. Choose a shorter period.`,
      { field: 'from' },
    );
  }
  const vids = await readVids(pool);
  return rows.map(({ paymentId, caseVendorId, ...row }) => ({
    ...row,
    vid: vids.get(row.vendorId) ?? null,
    reference:
      paymentId === null || caseVendorId === null || caseVendorId === 0
        ? null
        : encodeReference(caseVendorId, paymentId),
  }));
}
