import { formatMoney } from '../../platform/base/money.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { Mac } from '../../platform/base/mac.ts';
import { repeatableTransaction } from '../../platform/db/pool.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { postingTime } from '../../platform/db/posting-time.ts';
import { requireReceipt } from './assign.ts';
import type { ReceiptName } from './assign.ts';
import type { ReceiptReport } from './receipt.ts';
import { judge } from './reversals.ts';
import type { ReversalReport } from './reversals.ts';
import { bookReversal } from './books.ts';
import { insertReceiptEvent, lockReceipt, setReversed } from './store.ts';
import { isDebited, listReversals } from './read-receipts.ts';
import type { ReceiptRow } from './read-receipts.ts';
import { openReversed } from './receipt-cases.ts';
import { keepWaiting, takeReport } from './take.ts';
import type { ReceiptDeps, Taken } from './take.ts';

export interface ReversedBy extends ReversalReport {
  readonly note: string;
}

/**
 * The provider took the money of a known receipt back. Opens a case; nothing is posted until two
 * people decide it. Returns false if that was known.
 * Throws: `PlainError` if the receipt is not known.
 */
export async function reportReversal(
  { pool, ledgerMac }: Pick<ReceiptDeps, 'pool' | 'ledgerMac'>,
  name: ReceiptName,
  by: ReversedBy,
): Promise<boolean> {
  return await repeatableTransaction(pool, async (client) => {
    const { issuer, receipt } = await requireReceipt(client, name);
    const row = await lockReceipt(client, issuer, receipt);
    if (row === undefined) throw new PlainError(`There is no receipt ${receipt}.`);
    if (by.sourceCode === undefined && by.cents !== undefined && by.cents > row.amountCents) {
      const text = `It must be at most ${formatMoney(row.amountCents)}, the amount of the receipt.`;
      throw new PlainError(text, { field: 'amount' });
    }
    return await reverse(client, ledgerMac, row, by);
  });
}

/**
 * A provider or a bank reports a reversal, possibly of a receipt that it has not reported yet. Such a
 * receipt is kept as unmatched, so that its own report does not credit it: people decide. Returns
 * false if the reversal was known.
 */
export async function takeReversal(
  { pool, ledgerMac }: ReceiptDeps,
  report: ReceiptReport,
  about: { readonly note?: string; readonly key?: string | null } = {},
): Promise<boolean> {
  const { channel: actor, sourceCode, amountCents: cents, paidAt: at } = report;
  const when = at.toISOString();
  const { note = `reported as reversed, ${formatMoney(cents)}, ${when}`, key = when } = about;
  return await repeatableTransaction(pool, async (client) => {
    const row = await keepWaiting(client, ledgerMac, report);
    return await reverse(client, ledgerMac, row, { actor, sourceCode, note, cents, at, key });
  });
}

/**
 * Takes a report of a payment, unless a bank statement has listed a debit of its number and amount
 * before: that may be its return, so people decide.
 */
export async function takeUnlessDebited(
  deps: ReceiptDeps,
  report: ReceiptReport,
  confirmFromCents: bigint | null = null,
): Promise<Taken> {
  if (!(await isDebited(deps.pool, report))) {
    const taken = await takeReport(deps, report, confirmFromCents);
    // Either this finds a debit that was imported in between, or its import finds the receipt.
    if (!(await isDebited(deps.pool, report))) return taken;
  }
  const note = 'a bank statement listed a debit of this number and amount before the payment';
  // The debit is not named: its statement, and other reports of the payment, tell of the same one.
  return (await takeReversal(deps, report, { note, key: null })) ? 'reversed' : 'repeated';
}

/** The caller holds the receipt's lock. Returns false if no more money went back than was known. */
async function reverse(
  client: Queryable,
  mac: Mac,
  row: ReceiptRow,
  by: ReversedBy,
): Promise<boolean> {
  const { actor, note } = by;
  // Read after the lock, as the time of a proposal is: one of the two came first.
  const reversedAt = await postingTime(client);
  const kept = await listReversals(client, row);
  const { cents, reporter, key, judged } = judge(row, kept, by, reversedAt);
  if (judged === 'known') return false;
  const isRepeat = judged === 'repeat';
  // A repeat is kept as well: the next reversal of this reporter is another one.
  const shownAt = isRepeat ? row.reversedAt : reversedAt;
  const detail = {
    note,
    reversed_at: shownAt,
    cents: Number(cents),
    reporter,
    key,
    repeat: isRepeat,
  };
  const event = { action: 'reversed', actor, detail } as const;
  const eventId = await insertReceiptEvent(client, row.receiptId, event);
  if (isRepeat) return false;
  const { at = reversedAt } = by;
  // What two people closed is not at the bank any more.
  if (row.state !== 'closed') await bookReversal(client, mac, row, { eventId, cents, at });
  await setReversed(client, row.receiptId, reversedAt);
  await openReversed(client, row, { source: actor, note, cents });
  return true;
}
