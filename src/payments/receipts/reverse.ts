import { DAY_MS } from '../../platform/base/days.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { databaseTransaction } from '../../platform/db/pool.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import { postingTime } from '../ledger/store.ts';
import { requireReceipt } from './assign.ts';
import type { ReceiptName } from './assign.ts';
import type { ReceiptReport } from './receipt.ts';
import { insertReceiptEvent, isDebited, lockReceipt, setReversed } from './store.ts';
import type { ReceiptRow } from './store.ts';
import { keepWaiting, openReceiptCase, takeReport } from './take.ts';
import type { ReceiptDeps, Taken } from './take.ts';

interface ReportedBy {
  /** A person, or the channel. */
  readonly actor: string;
  readonly note: string;
  /** When the money went back; a statement has the day only. Default: now. */
  readonly at?: Date;
}

/**
 * The provider took the money of a known receipt back. Opens a case; nothing is posted until two
 * people decide it. Returns false if that was known.
 * Throws: `PlainError` if the receipt is not known.
 */
export async function reportReversal(
  pool: Pool,
  name: ReceiptName,
  by: ReportedBy,
): Promise<boolean> {
  return await databaseTransaction(pool, async (client) => {
    const { issuer, receipt } = await requireReceipt(client, name);
    const row = await lockReceipt(client, issuer, receipt);
    if (row === undefined) throw new PlainError(`There is no receipt ${receipt}.`);
    return await reverse(client, row, by);
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
  note = 'reported as reversed',
): Promise<boolean> {
  return await databaseTransaction(pool, async (client) => {
    const row = await keepWaiting(client, ledgerMac, report);
    return await reverse(client, row, { actor: report.channel, note, at: report.paidAt });
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
  return (await takeReversal(deps, report, note)) ? 'reversed' : 'repeated';
}

/** The caller holds the receipt's lock. */
async function reverse(
  client: Queryable,
  row: ReceiptRow,
  { actor, note, at }: ReportedBy,
): Promise<boolean> {
  // Read after the lock, as the time of a proposal is: one of the two came first.
  const reversedAt = await postingTime(client);
  const bookedMs = actor === 'statement' ? DAY_MS : 0;
  const happenedAt = at === undefined ? reversedAt : new Date(at.getTime() + bookedMs);
  if (!(await setReversed(client, row.receiptId, { reversedAt, happenedAt }))) return false;
  const { issuer, receipt, state } = row;
  const paid = { paid_cents: Number(row.amountCents), receipt_state: state };
  const facts = { source: actor, note, issuer, receipt, ...paid };
  await openReceiptCase(client, row, 'receipt_reversed', facts);
  const detail = { note, reversed_at: reversedAt };
  await insertReceiptEvent(client, row.receiptId, { action: 'reversed', actor, detail });
  return true;
}
