import { isReversal } from './daraja/payment.ts';
import type { C2bPayment } from './daraja/payment.ts';
import { MPESA } from './receipt.ts';
import type { Channel, ReceiptReport } from './receipt.ts';
import { takeReversal, takeUnlessDebited } from './reverse.ts';
import type { OpenSource } from './sources.ts';
import type { ReceiptDeps, Taken } from './take.ts';

/** Takes a payment that Daraja reported. A reversal is never credited: it opens a case. */
export async function takePayment(
  deps: ReceiptDeps,
  source: OpenSource,
  by: Reported,
): Promise<Taken> {
  const report = reportOf(source, by);
  if (!isReversal(by.payment)) {
    return await takeUnlessDebited(deps, report, source.daraja.confirmFromCents);
  }
  await takeReversal(deps, report);
  return 'reversed';
}

interface Reported {
  readonly payment: C2bPayment;
  readonly channel: Channel;
}

/** Turns Daraja's message into a report of a receipt. */
export function reportOf({ row }: OpenSource, { payment, channel }: Reported): ReceiptReport {
  const { receipt, amountCents, paidAt, account, payer } = payment;
  const { sourceCode, collector } = row;
  const content = { receipt, amountCents, paidAt, account, payer };
  return { issuer: MPESA, sourceCode, collector, channel, ...content };
}
