import { decodeReference, encodeReference } from '../../parties/reference.ts';
import { sleep } from '../../platform/base/timers.ts';
import type { Timers } from '../../platform/base/timers.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { readPayment } from '../create/store.ts';
import type { PaymentKey } from '../create/payment.ts';
import type { PaymentFinder, SentPayment } from '../../connectors/operator-callbacks.ts';
import {
  findAttemptsByHandle,
  findKeptHandles,
  readArchivedAttempt,
  readLastAttempt,
} from './handle-store.ts';
import type { LastAttemptRow } from './handle-store.ts';

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
    const sent = await findSent(pool, { ...key, operatorCode });
    if (sent === undefined) return undefined;
    const { vendorId, paymentId, operatorVersion: _, ...rest } = sent;
    return { reference: encodeReference(vendorId, paymentId), ...rest };
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

/** The payment with its last attempt, archived or not, if this operator was ever instructed to make it. */
export async function findSent(
  pool: Pool,
  about: PaymentKey & { readonly operatorCode: string },
): Promise<Sent | undefined> {
  const row = await readPayment(pool, about.vendorId, about.paymentId);
  if (row === undefined) {
    const archived = await readArchivedAttempt(pool, about);
    return archived && { ...archived, isOpen: false };
  }
  const { billerCode, account, amountCents } = row;
  const attempt = await readLastAttempt(pool, { ...about, billerCode });
  return attempt && { ...attempt, billerCode, account, amountCents, isOpen: row.outcome === null };
}

type Sent = LastAttemptRow & Omit<SentPayment, 'reference'>;

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
