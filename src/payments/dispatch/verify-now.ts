import { PlainError } from '../../platform/base/plain-error.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { PaymentKey } from '../create/payment.ts';
import { readPayment } from '../create/store.ts';
import { askDetailsWithin } from '../settle/late-details-store.ts';
import { askAtOnce } from './handle-store.ts';
import type { AddedQueue } from './rotation.ts';

/**
 * Queries the operator at once about a payment whose outcome is unknown, or of which it owes details. A query does no
 * harm, so it may be done at any time. Returns the queue that has become due; null: details are asked for.
 * Throws: `PlainError` if there is nothing to ask about.
 */
export async function verifyNow(db: Queryable, key: PaymentKey): Promise<AddedQueue | null> {
  const payment = await readPayment(db, key.vendorId, key.paymentId);
  const operatorCode = payment && (await askAtOnce(db, payment));
  if (payment === undefined || operatorCode === undefined) {
    if (payment !== undefined && (await askDetailsWithin(db, payment, { seconds: 0 }))) return null;
    throw new PlainError('No result is awaited for this payment, so there is nothing to query.');
  }
  const { vendorId, billerCode, paymentId } = payment;
  return { vendorId, billerCode, stage: 'verify', operatorCode, firstId: paymentId };
}
