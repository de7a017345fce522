import type { DisbursementDeps } from '../../src/payments/disbursements/disbursements.ts';
import { MSISDN } from '../../src/payments/billers/account-format.ts';
import { DISBURSEMENTS } from '../../src/payments/billers/biller.ts';
import { findBiller, putBiller } from '../../src/payments/billers/store.ts';
import { openCase } from '../../src/payments/cases/cases-store.ts';
import { setPayoutPhone } from '../../src/payments/payouts/phones.ts';
import { settlePayments } from '../../src/payments/settle/store.ts';
import { newId } from '../../src/platform/base/ids.ts';
import { databaseTransaction } from '../../src/platform/db/pool.ts';
import type { Proposals } from '../../src/proposals/proposals.ts';
import { billerRecord, createInstructed, paidReport } from './money-fixture.ts';
import type { Books } from './money-fixture.ts';
import { newPayment } from './new-transaction.ts';
import { SEALING } from './production-pair.ts';

/** The only biller for disbursements. */
export const PAYOUT_BILLER = 'mpesa_payout';
export const VENDOR_PHONE = '254700000009';
export const CUSTOMER = '254712345678';

export interface Disbursing extends DisbursementDeps {
  setPhone(vendorId: number, phone: string | null): Promise<void>;
  openCase(vendorId: number, paymentId: string): Promise<void>;
}

/** Adds the biller, and what disbursements need. */
export async function openDisbursements(books: Books, proposals: Proposals): Promise<Disbursing> {
  const { pool, ledgerMac } = books;
  if ((await findBiller(pool, PAYOUT_BILLER)) === undefined) {
    await putBiller(
      pool,
      billerRecord(PAYOUT_BILLER, { category: DISBURSEMENTS, accountFormat: MSISDN }),
    );
  }
  return {
    ...{ pool, ledgerMac, proposals, masterKeys: SEALING.masterKeys },
    setPhone: async (vendorId, phone) =>
      await databaseTransaction(pool, async (db) => {
        await setPayoutPhone({ db, ledgerMac }, { vendorId, phone, by: 'Asha' });
      }),
    openCase: async (vendorId, paymentId) => {
      await openCase(pool, {
        ...{ vendorId, paymentId, kind: 'no_answer', operatorCode: null },
        ...{ evidenceId: newId(), facts: {} },
      });
    },
  };
}

/** A payment that succeeded. */
export async function paidPayment(
  books: Books,
  vendorId: number,
  amountCents: bigint,
): Promise<string> {
  const made = newPayment({ vendorId, amountCents });
  await createInstructed(books.pool, [made]);
  await settlePayments(books.pool, [paidReport(made)]);
  return made.paymentId;
}
