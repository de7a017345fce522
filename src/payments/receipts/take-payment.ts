import type { ReportedPayment } from '../../connectors/source.ts';
import { reportedAccount } from './receipt.ts';
import type { Channel, ReceiptReport } from './receipt.ts';
import { takeReversal, takeUnlessDebited } from './reverse.ts';
import type { OpenSource } from './sources.ts';
import type { ReceiptDeps, Taken } from './take.ts';

/** Takes a payment that a provider reported. A reversal is never credited: it opens a case. */
export async function takePayment(
  deps: ReceiptDeps,
  source: OpenSource,
  by: Reported,
): Promise<Taken> {
  const report = reportOf(source, by);
  if (!by.payment.isReversal) {
    return await takeUnlessDebited(deps, report, source.provider.confirmFromCents);
  }
  await takeReversal(deps, report);
  return 'reversed';
}

interface Reported {
  readonly payment: ReportedPayment;
  readonly channel: Channel;
}

/** Turns a provider's message into a report of a receipt. */
export function reportOf(
  { row, provider }: OpenSource,
  { payment, channel }: Reported,
): ReceiptReport {
  const { receipt, amountCents, paidAt, payer, unknownType, isArrivalTime = false } = payment;
  const { sourceCode, collector, bank } = row;
  const account = reportedAccount(payment.account);
  const content = { receipt, amountCents, paidAt, isArrivalTime, account, payer };
  const doubt = unknownType !== undefined && {
    ownDoubt: { reason: 'type' as const, others: [unknownType] },
  };
  return { issuer: provider.issuer, sourceCode, collector, bank, channel, ...content, ...doubt };
}
