import { newId } from '../../platform/base/ids.ts';
import { plainReference } from '../../platform/base/written-alike.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { hindranceOf } from './hindrance.ts';
import { decideReport } from './judge-report.ts';
import type { Decision } from './judge-report.ts';
import { identify } from './identify.ts';
import type { ForeseenReceipts, Identified } from './identify.ts';
import { numbersOf } from './identity-store.ts';
import type { NumberedRow } from './identity-store.ts';
import type { Doubt, ReceiptReport } from './receipt.ts';
import { findReturned, judge, numbersReturned } from './reversals.ts';
import type { Reversal } from './reversals.ts';
import { isOut, returnKey } from './statements/import.ts';
import type { ReportedLine } from './statements/report.ts';
import {
  isDebited,
  listNumbered,
  listReceiptsOfEntry,
  listReversals,
  wasReported,
} from './read-receipts.ts';
import type { ReceiptRow } from './read-receipts.ts';
import { asOf, vendorOf } from './take.ts';

/** The effect that a line of a statement would have now. */
export type Foreseen =
  | { readonly kind: 'credited'; readonly vendorId: number }
  | { readonly kind: 'waiting'; readonly doubt: Doubt | null }
  | {
      readonly kind:
        | 'repeated'
        | 'conflicts'
        | 'reversed'
        | 'credit_returned'
        | 'debit'
        | 'debit_returned'
        | 'no_payment'
        | 'pending';
    };

/** Receipts as the lines of a file before would make them. */
export class Preview implements ForeseenReceipts {
  /** By number, as `plainReference` makes it. */
  readonly #rows = new Map<string, ReceiptRow[]>();
  readonly #like = new Map<string, NumberedRow[]>();
  readonly #reversals = new Map<string, Reversal[]>();

  find(issuer: string, receipt: string): ReceiptRow | undefined {
    const alike = this.#rows.get(plainReference(receipt)) ?? [];
    return alike.find((row) => row.issuer === issuer && row.receipt === receipt);
  }

  like(report: Pick<ReceiptReport, 'receipt' | 'named'>): readonly NumberedRow[] {
    return [...new Set(numbersOf(report).flatMap((number) => this.#like.get(number) ?? []))];
  }

  /** Stored receipts with one of these numbers, as `plainReference` makes them. Receipts of the file replace those that they change. */
  withOwn(stored: readonly ReceiptRow[], numbers: readonly string[]): readonly ReceiptRow[] {
    const own = numbers.flatMap((number) => this.#rows.get(number) ?? []);
    const ids = new Set(own.map(({ receiptId }) => receiptId));
    return [...own, ...stored.filter(({ receiptId }) => !ids.has(receiptId))];
  }

  reversals({ receiptId }: ReceiptRow): readonly Reversal[] {
    return this.#reversals.get(receiptId) ?? [];
  }

  /** @param reportedFor the vendor of the account. */
  add(row: ReceiptRow, report: ReceiptReport, reportedFor: number | undefined): void {
    const plain = plainReference(row.receipt);
    const others = (this.#rows.get(plain) ?? []).filter((one) => one.receiptId !== row.receiptId);
    this.#rows.set(plain, [...others, row]);
    const { named = [] } = report;
    const vendorId = row.vendorId ?? reportedFor ?? null;
    const numbered = { ...row, vendorId, named, isDoubtful: row.doubt !== null };
    for (const number of new Set([plain, ...named])) {
      this.#like.set(number, [...(this.#like.get(number) ?? []), numbered]);
    }
  }

  addReversal({ receiptId }: ReceiptRow, reversal: Reversal): void {
    this.#reversals.set(receiptId, [...(this.#reversals.get(receiptId) ?? []), reversal]);
  }
}

/**
 * Foresees the reports of one bank entry as `takeLines` would take them, in its order of entries. Changes nothing.
 * @param preview of the whole file.
 */
export async function foreseeEntry(
  db: Queryable,
  entry: readonly ReceiptReport[],
  preview: Preview,
): Promise<Foreseen[]> {
  const [first] = entry;
  if (first === undefined) return [];
  const known = await listReceiptsOfEntry(db, first.issuer, first.batch ?? first.receipt);
  const listed = new Set(entry.map(({ receipt }) => receipt));
  const before = new Set(known.map(({ receipt }) => receipt));
  const isReplaced = known.some(({ receipt }) => !listed.has(receipt));
  const foreseen: Foreseen[] = [];
  for (const report of entry) {
    const isNew = isReplaced && !before.has(report.receipt);
    foreseen.push(isNew ? { kind: 'conflicts' } : await foresee(db, report, preview));
  }
  return foreseen;
}

/** Foresees a report by itself, as `record` would take it. */
export async function foresee(
  db: Queryable,
  report: ReceiptReport,
  preview: Preview,
): Promise<Foreseen> {
  if (await isDebited(db, report)) {
    const row = await foreseenRow(db, report, preview);
    const isNew = await foreseeReversal(db, row, { report, key: null }, preview);
    return { kind: isNew ? 'reversed' : 'repeated' };
  }
  const reportedFor = await vendorOf(db, report, report.channel);
  const identified = await identify(db, report, reportedFor, preview);
  const { known, doubt } = identified;
  const asked = known === undefined || known.account === null ? report : known;
  const vendorId = await vendorOf(db, asked, report.channel);
  const about = { known, vendorId, confirmFromCents: null, now: new Date(), doubt };
  const told = known === undefined ? report : asOf(report, known);
  const decision = decideReport(told, about);
  if (decision.kind === 'conflict') return { kind: 'conflicts' };
  const row = rowOf(report, identified, decision);
  preview.add(row, report, reportedFor);
  // A claim that its process left is credited by a job, or by this.
  if (row.state === 'claimed' && row.vendorId !== null) {
    const claimed = { ...row, vendorId: row.vendorId };
    const hindrance = await hindranceOf(db, claimed);
    if (hindrance === null) {
      preview.add({ ...row, state: 'credited' }, report, reportedFor);
      return { kind: 'credited', vendorId: row.vendorId };
    }
    return row.reversedAt === null ? { kind: 'waiting', doubt: null } : { kind: 'reversed' };
  }
  if (decision.kind !== 'repeat') return { kind: 'waiting', doubt: row.doubt };
  if (row.reversedAt === null || row.state === 'credited') return { kind: 'repeated' };
  return { kind: (await wasReported(db, row.receiptId, told)) ? 'repeated' : 'reversed' };
}

/** Foresees a line that is no credit as the import would take it. @param nth see `othersOf`. */
export async function foreseeOther(
  db: Queryable,
  { line, report }: ReportedLine,
  nth: number,
  preview: Preview,
): Promise<Foreseen> {
  const { kind } = line;
  if (kind === 'pending' || kind === 'no_payment') return { kind };
  if (isOut(line)) return { kind: kind === 'debit' ? 'debit' : 'debit_returned' };
  const isReturn = kind === 'credit_returned';
  const numbers = numbersReturned(report);
  const known = findReturned(preview.withOwn(await listNumbered(db, numbers), numbers), report);
  if (!isReturn && known?.amountCents !== report.amountCents) return { kind: 'debit' };
  const row = known ?? (await foreseenRow(db, report, preview));
  const about = { report, key: returnKey(report, nth, known) };
  const isNew = await foreseeReversal(db, row, about, preview);
  return { kind: isNew ? 'credit_returned' : 'repeated' };
}

/** The receipt that a reversal is about: the known one, or one that waits for people. */
async function foreseenRow(
  db: Queryable,
  report: ReceiptReport,
  preview: Preview,
): Promise<ReceiptRow> {
  const row = rowOf(report, await identify(db, report, undefined, preview), null);
  preview.add(row, report, undefined);
  return row;
}

/** Returns false if no more money would go back than is known. */
async function foreseeReversal(
  db: Queryable,
  row: ReceiptRow,
  { report, key }: { readonly report: ReceiptReport; readonly key: string | null },
  preview: Preview,
): Promise<boolean> {
  const { channel: actor, sourceCode, amountCents: cents, paidAt: at } = report;
  const kept = [...(await listReversals(db, row)), ...preview.reversals(row)];
  const now = new Date();
  const { judged, ...made } = judge(row, kept, { actor, sourceCode, cents, at, key }, now);
  if (judged === 'known') return false;
  const isRepeat = judged === 'repeat';
  preview.addReversal(row, { ...made, isRepeat, reversedAt: now });
  if (!isRepeat) preview.add({ ...row, reversedAt: now }, report, row.vendorId ?? undefined);
  return !isRepeat;
}

/** The receipt as the report leaves it. */
function rowOf(
  report: ReceiptReport,
  { known, doubt }: Identified,
  decision: Exclude<Decision, { kind: 'conflict' }> | null,
): ReceiptRow {
  const nobody = { proposedBy: null, decidedBy: null, decidedAt: null, reversedAt: null };
  const made = { receiptId: newId(), receivedAt: new Date(), mac: Buffer.alloc(0) };
  const row = known ?? {
    ...{ ...report, ...made, ...nobody, doubt, state: 'unmatched' as const },
    ...{ bank: report.bank ?? report.sourceCode, isUnallocated: true },
    ...{ vendorId: null, moves: 0, movedCents: null },
    isArrivalTime: report.isArrivalTime === true,
  };
  if (decision === null || decision.kind === 'repeat') return row;
  const state = decision.kind === 'new' ? decision.state : 'claimed';
  return { ...row, state, vendorId: decision.vendorId };
}
