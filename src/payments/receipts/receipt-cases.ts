import type { Queryable } from '../../platform/db/pool.ts';
import { HOUSE, openCase } from '../cases/cases-store.ts';
import { addReversal, findOpenReceiptCase } from '../cases/kept-receipts-store.ts';
import type { ReceiptReport } from './receipt.ts';
import { insertReceiptEvent } from './store.ts';
import type { ReceiptRow } from './read-receipts.ts';

/** Opens a case about the receipt, once while one is open. Returns its id; undefined: one is open. */
export async function openReceiptCase(
  client: Queryable,
  row: ReceiptRow,
  kind: 'receipt_conflict' | 'receipt_reversed',
  about: Readonly<Record<string, unknown>>,
): Promise<string | undefined> {
  const { moves } = row;
  // A vendor that has it again after others: each time counts for itself.
  const facts = moves === 0 ? about : { ...about, moves };
  return await openCase(client, {
    vendorId: row.vendorId ?? HOUSE,
    paymentId: null,
    kind,
    evidenceId: row.receiptId,
    operatorCode: null,
    facts,
  });
}

/** Opens a case about money that went back, or adds it to the one that is open. */
export async function openReversed(
  client: Queryable,
  row: ReceiptRow,
  {
    source,
    note,
    cents,
  }: { readonly source: string; readonly note: string; readonly cents: bigint },
): Promise<void> {
  const { issuer, receipt, state, receiptId } = row;
  const paid = { paid_cents: Number(row.amountCents), reversed_cents: Number(cents) };
  const facts = { source, note, issuer, receipt, ...paid, receipt_state: state };
  const about = { vendorId: row.vendorId ?? HOUSE, receiptId };
  // The case that is open may be decided between the two.
  while ((await openReceiptCase(client, row, 'receipt_reversed', facts)) === undefined) {
    if (await addReversal(client, about, { note, cents })) return;
  }
}

/** A report contradicts what is known: nothing more is credited, people look at it. */
export async function openConflict(
  client: Queryable,
  row: ReceiptRow,
  report: ReceiptReport,
  reason: string,
): Promise<void> {
  const facts = {
    source: report.channel,
    reason,
    issuer: row.issuer,
    receipt: row.receipt,
    paid_cents: Number(row.amountCents),
    reported_cents: Number(report.amountCents),
    account: row.account,
    reported_account: report.account,
    paid_at: row.paidAt.toISOString(),
    reported_paid_at: report.paidAt.toISOString(),
  };
  const opened = await openReceiptCase(client, row, 'receipt_conflict', facts);
  if (opened === undefined) return;
  const { channel: actor } = report;
  await insertReceiptEvent(client, row.receiptId, { action: 'conflict', actor, detail: facts });
}

/**
 * A receipt was contradicted while no vendor had it: the vendor that gets it needs a case of its own, with which it can
 * be taken back.
 */
export async function passConflict(
  client: Queryable,
  row: ReceiptRow,
  formerly: number,
): Promise<void> {
  if (formerly !== HOUSE) return;
  const kind = 'receipt_conflict';
  const about = { vendorId: HOUSE, receiptId: row.receiptId, kind } as const;
  const former = await findOpenReceiptCase(client, about);
  if (former === undefined) return;
  await openReceiptCase(client, row, kind, { ...former.facts, former_case: former.caseId });
}
