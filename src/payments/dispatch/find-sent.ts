import { decodeReference, encodeReference } from '../../platform/base/ids.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { readPayment } from '../create/store.ts';
import type { PaymentKey } from '../create/payment.ts';
import type { PaymentFinder, SentPayment } from './connector.ts';
import { findAttemptsByHandle, findKeptHandles, readLastAttempt } from './handle-store.ts';

/** Finds the payments of one operator that callbacks name. No operator learns about another's. */
export function createPaymentFinder(pool: Pool, operatorCode: string): PaymentFinder {
  const find = async (key: PaymentKey): Promise<SentPayment | undefined> => {
    const row = await readPayment(pool, key.vendorId, key.paymentId);
    if (row === undefined) return undefined;
    const { billerCode, account, amountCents } = row;
    const attempt = await readLastAttempt(pool, { ...key, billerCode, operatorCode });
    if (attempt === undefined) return undefined;
    const { attemptNumber, operatorHandle } = attempt;
    return {
      reference: encodeReference(key.vendorId, key.paymentId),
      attemptNumber,
      billerCode,
      account,
      amountCents,
      operatorHandle,
      isOpen: row.outcome === null,
    };
  };
  return {
    byReference: async (reference) => {
      const key = decodeReference(reference);
      return key && (await find(key));
    },
    byHandle: async (operatorHandle) => {
      const inProgress = await findAttemptsByHandle(pool, operatorHandle, operatorCode);
      const found =
        inProgress.length > 0
          ? inProgress
          : await findKeptHandles(pool, operatorHandle, operatorCode);
      const [attempt, other] = found;
      if (attempt === undefined || other !== undefined) return undefined;
      const sent = await find(attempt);
      // A report about an earlier attempt says nothing about the last one.
      return sent?.attemptNumber === attempt.attemptNumber ? sent : undefined;
    },
  };
}
