import { PlainError } from '../../platform/base/plain-error.ts';
import { reportReversal } from './assign.ts';
import { isReversal } from './daraja/payment.ts';
import type { C2bPayment } from './daraja/payment.ts';
import { MPESA } from './receipt.ts';
import type { Channel } from './receipt.ts';
import type { OpenSource } from './sources.ts';
import { takeReport } from './take.ts';
import type { ReceiptDeps, Taken } from './take.ts';

/** Takes a payment that Daraja reported. A reversal is never credited: it opens a case. */
export async function takePayment(
  deps: ReceiptDeps,
  { row, daraja }: OpenSource,
  by: { readonly payment: C2bPayment; readonly channel: Channel },
): Promise<Taken | 'reversed'> {
  const { payment, channel } = by;
  const { receipt, amountCents, paidAt, account, payer } = payment;
  if (isReversal(payment)) {
    await takeReversal(deps, receipt, channel);
    return 'reversed';
  }
  const { sourceCode, collector } = row;
  return await takeReport(
    deps,
    {
      issuer: MPESA,
      receipt,
      sourceCode,
      collector,
      channel,
      amountCents,
      paidAt,
      account,
      payer,
    },
    daraja.confirmFromCents,
  );
}

async function takeReversal(
  { pool, log }: ReceiptDeps,
  receipt: string,
  actor: Channel,
): Promise<void> {
  try {
    await reportReversal(pool, { receipt, issuer: MPESA }, { actor, note: 'reported as reversed' });
  } catch (error) {
    if (!(error instanceof PlainError)) throw error;
    log.error({ receipt }, 'the reversal of a receipt that is not known');
  }
}
