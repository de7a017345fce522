import { crashPoint } from '#crash-points';
import { newId } from '../../platform/base/ids.ts';
import { encodeReference } from '../../parties/reference.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import { repeatableTransaction } from '../../platform/db/pool.ts';
import { lockFloat, postTransfer } from '../ledger/store.ts';
import { readBalance } from '../ledger/read-balances.ts';
import { postingTime } from '../../platform/db/posting-time.ts';
import type { Movement } from './collect.ts';
import { findLatestFundMovement, insertFundMovement } from './store.ts';

/**
 * Moves all of the vendor's collected income into the float: collected → float. If there is nothing
 * to move, but an earlier request with this time moved money, the answer of the latest such request
 * is repeated, and is not fresh. Otherwise the movement has amount 0 and no reference, and is not
 * recorded.
 *
 * The time alone never makes a request a repeat: two callbacks within one second carry the same
 * time. So a repeated answer says which movement emptied the collected income, not that this
 * request's own income was that amount; only the reference of a movement identifies it.
 */
export async function fund(
  pool: Pool,
  request: { readonly vendorId: number; readonly requestedAt: Date },
): Promise<Movement> {
  const { vendorId, requestedAt } = request;
  const movement = await repeatableTransaction(pool, async (client) => {
    await lockFloat(client, vendorId);
    const amountCents = await readBalance(client, vendorId, 'collected');
    if (amountCents === 0n) return await nothingToMove(client, vendorId, requestedAt);
    const postedAt = await postingTime(client);
    const movementId = newId();
    await insertFundMovement(client, {
      vendorId,
      requestedAt,
      movementId,
      amountCents,
      createdAt: postedAt,
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

async function nothingToMove(
  client: Queryable,
  vendorId: number,
  requestedAt: Date,
): Promise<Movement> {
  const latest = await findLatestFundMovement(client, vendorId, requestedAt);
  if (latest === undefined) {
    const postedAt = await postingTime(client);
    return { reference: null, amountCents: 0n, postedAt, fresh: false };
  }
  return {
    reference: encodeReference(vendorId, latest.movementId),
    amountCents: latest.amountCents,
    postedAt: latest.createdAt,
    fresh: false,
  };
}
