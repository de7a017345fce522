import { isReversal } from './daraja/payment.ts';
import type { C2bPayment } from './daraja/payment.ts';
import { MPESA } from './receipt.ts';
import type { Channel } from './receipt.ts';
import { takeReversal, takeUnlessDebited } from './reverse.ts';
import type { OpenSource } from './sources.ts';
import type { ReceiptDeps, Taken } from './take.ts';

/** Takes a payment that Daraja reported. A reversal is never credited: it opens a case. */
export async function takePayment(
  deps: ReceiptDeps,
  { row, daraja }: OpenSource,
  by: { readonly payment: C2bPayment; readonly channel: Channel },
): Promise<Taken> {
  const { payment, channel } = by;
  const { receipt, amountCents, paidAt, account, payer } = payment;
  const { sourceCode, collector } = row;
  const content = { receipt, amountCents, paidAt, account, payer };
  const report = { issuer: MPESA, sourceCode, collector, channel, ...content };
  if (!isReversal(payment)) return await takeUnlessDebited(deps, report, daraja.confirmFromCents);
  await takeReversal(deps, report);
  return 'reversed';
}
