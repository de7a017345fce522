import { repeatableTransaction } from '../../platform/db/pool.ts';
import { cleanMessage } from '../../platform/base/clean-text.ts';
import type { ReceiptReport } from './receipt.ts';
import { insertReport } from './store.ts';
import { openReceiptCase } from './receipt-cases.ts';
import { keepWaiting } from './take.ts';
import type { ReceiptDeps } from './take.ts';

/**
 * Keeps a confirmation whose body has a name twice: the customer has paid, but how much, or for which
 * account, depends on the reader. A new receipt waits without an account, until the pull or a statement has one
 * with the same amount, or people decide; another confirmation does not end that. A known one only gets the case.
 * @param body of the confirmation, for people.
 */
export async function keepContradictory(
  { pool, ledgerMac, log }: ReceiptDeps,
  report: ReceiptReport,
  body: Buffer,
): Promise<void> {
  const { issuer, receipt, channel } = report;
  const kept = { ...report, account: null };
  const facts = {
    source: channel,
    reason: 'names',
    issuer,
    receipt,
    reported_cents: Number(report.amountCents),
    reported_account: report.account,
    body: cleanMessage(body.toString('utf8')),
  };
  await repeatableTransaction(pool, async (client) => {
    const row = await keepWaiting(client, ledgerMac, kept, 'unconfirmed');
    if (!(await insertReport(client, row.receiptId, kept))) return;
    await openReceiptCase(client, row, 'receipt_conflict', facts);
  });
  log.error({ receipt }, 'a confirmation has a name twice; it waits for people');
}
