import { decodeReference, encodeReference } from '../../platform/base/ids.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { BillerCatalogue } from '../billers/catalogue.ts';
import { readPayment } from '../create/store.ts';
import type { PaymentKey } from '../create/payment.ts';
import type { PaymentFinder, SentPayment } from './connector.ts';
import { findAttemptsByHandle, readLastAttempt } from './handle-store.ts';

/** Finds the payments of one operator that callbacks name. No operator learns about another's. */
export function createPaymentFinder(
  pool: Pool,
  catalogue: BillerCatalogue,
  operatorCode: string,
): PaymentFinder {
  const find = async (key: PaymentKey): Promise<SentPayment | undefined> => {
    const row = await readPayment(pool, key.vendorId, key.paymentId);
    if (row === undefined) return undefined;
    const { billerCode, account, amountCents } = row;
    if (catalogue.biller(billerCode)?.operatorCode !== operatorCode) return undefined;
    const attempt = await readLastAttempt(pool, { ...key, billerCode });
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
      const billerCodes = catalogue
        .billers()
        .filter((biller) => biller.operatorCode === operatorCode)
        .map((biller) => biller.billerCode);
      const found = await findAttemptsByHandle(pool, operatorHandle, billerCodes);
      const [attempt, other] = found;
      return attempt === undefined || other !== undefined ? undefined : await find(attempt);
    },
  };
}
