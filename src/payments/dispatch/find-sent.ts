import { decodeReference, encodeReference } from '../../parties/reference.ts';
import { sleep } from '../../platform/base/timers.ts';
import type { Timers } from '../../platform/base/timers.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { readPayment } from '../create/store.ts';
import type { PaymentKey } from '../create/payment.ts';
import type { PaymentFinder, SentPayment } from '../../connectors/operator-callbacks.ts';
import { findAttemptsByHandle, findKeptHandles, readLastAttempt } from './handle-store.ts';

/** A callback waits this long for its handle, which may arrive later with the answer to the instruction. */
const HANDLE_WAIT_MS = 3_000;
const HANDLE_POLL_MS = 250;

/**
 * Finds the payments of one operator that callbacks name. No operator learns about another's.
 * @param waiting for handles that are not known yet; null: such a callback has no effect anyway.
 */
export function createPaymentFinder(
  pool: Pool,
  operatorCode: string,
  waiting: Timers | null,
): PaymentFinder {
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
  const findByHandle = async (operatorHandle: string): Promise<SentPayment | undefined> => {
    const inProgress = await findAttemptsByHandle(pool, operatorHandle, operatorCode);
    const found =
      inProgress.length > 0
        ? inProgress
        : await findKeptHandles(pool, operatorHandle, operatorCode);
    const [attempt, other] = found;
    if (attempt === undefined || other !== undefined) return undefined;
    const sent = await find(attempt);
    if (sent === undefined || sent.attemptNumber === attempt.attemptNumber) return sent;
    return { ...sent, isEarlier: true };
  };
  return {
    byReference: async (reference) => {
      const key = decodeReference(reference);
      return key && (await find(key));
    },
    byHandle: async (operatorHandle) => {
      const sent = await findByHandle(operatorHandle);
      // The last attempt may get the same handle from an operator that knows the payment.
      if (isOfLast(sent) || waiting === null) return sent;
      return await tryForAWhile(waiting, () => findByHandle(operatorHandle));
    },
  };
}

function isOfLast(sent: SentPayment | undefined): boolean {
  return sent !== undefined && sent.isEarlier !== true;
}

async function tryForAWhile(
  timers: Timers,
  find: () => Promise<SentPayment | undefined>,
): Promise<SentPayment | undefined> {
  const giveUpAtMs = timers.nowMs() + HANDLE_WAIT_MS;
  let found: SentPayment | undefined;
  while (!isOfLast(found) && timers.nowMs() < giveUpAtMs) {
    await sleep(timers, HANDLE_POLL_MS);
    found = await find();
  }
  return found;
}
