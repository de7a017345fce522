import { crashPoint } from '#crash-points';
import { encodeReference, newId } from '../base/ids.ts';
import type { Pool } from '../db/pool.ts';
import { transaction } from '../db/pool.ts';
import { lockFloat, postingTime, postTransfer, readBalance } from '../ledger/store.ts';
import type { Movement } from './collect.ts';
import { findFundMovement, insertFundMovement } from './store.ts';

/**
 * Sweeps all of the vendor's collected income into the float: collected → float.
 * A repeat with the same time answers the first movement. With nothing to sweep the movement has
 * amount 0 and no reference, and is not recorded, so that the same time can sweep later.
 */
export async function fund(
  pool: Pool,
  request: { readonly vendorId: number; readonly requestedAt: Date },
): Promise<Movement> {
  const { vendorId, requestedAt } = request;
  const movement = await transaction(pool, async (client) => {
    await lockFloat(client, vendorId);
    const known = await findFundMovement(client, vendorId, requestedAt);
    if (known !== undefined) {
      return {
        reference: encodeReference(vendorId, known.movement_id),
        amountCents: known.amount_cents,
        postedAt: known.created_at,
        fresh: false,
      };
    }
    const amountCents = await readBalance(client, vendorId, 'collected');
    const postedAt = await postingTime(client);
    if (amountCents === 0n) return { reference: null, amountCents, postedAt, fresh: false };
    const movementId = newId();
    await insertFundMovement(client, {
      vendor_id: vendorId,
      requested_at: requestedAt,
      movement_id: movementId,
      amount_cents: amountCents,
      created_at: postedAt,
    });
    await postTransfer(client, {
      vendorId,
      sourceId: movementId,
      leg: 1,
      debitAccount: 'collected',
      creditAccount: 'float',
      amountCents,
      createdAt: postedAt,
    });
    crashPoint('fund:before-commit');
    return {
      reference: encodeReference(vendorId, movementId),
      amountCents,
      postedAt,
      fresh: true,
    };
  });
  crashPoint('fund:after-commit');
  return movement;
}
