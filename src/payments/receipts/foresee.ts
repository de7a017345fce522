import { newId } from '../../platform/base/ids.ts';
import { plainReference } from '../../platform/base/written-alike.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { decideReport } from './judge-report.ts';
import type { Decision } from './judge-report.ts';
import { identify } from './identify.ts';
import type { ForeseenReceipts, Identified } from './identify.ts';
import { numbersOf } from './identity-store.ts';
import type { NumberedRow } from './identity-store.ts';
import type { ReceiptReport } from './receipt.ts';
import { isDebited, listReceiptsOfEntry } from './store.ts';
import type { ReceiptRow } from './store.ts';
import { mayCollect, vendorOf } from './take.ts';

/** The effect that a report of a payment would have now. */
export type Foreseen =
  | { readonly kind: 'credited'; readonly vendorId: number }
  | { readonly kind: 'waiting' | 'repeated' | 'conflicts' | 'reversed' };

/** Receipts as the reports of a file before would make them. */
export class Preview implements ForeseenReceipts {
  readonly #rows = new Map<string, ReceiptRow>();
  readonly #like = new Map<string, NumberedRow[]>();

  find(issuer: string, receipt: string): ReceiptRow | undefined {
    return this.#rows.get(`${issuer} ${receipt}`);
  }

  like(report: Pick<ReceiptReport, 'receipt' | 'named'>): readonly NumberedRow[] {
    return [...new Set(numbersOf(report).flatMap((number) => this.#like.get(number) ?? []))];
  }

  /** @param reportedFor the vendor of the account. */
  add(row: ReceiptRow, report: ReceiptReport, reportedFor: number | undefined): void {
    this.#rows.set(`${row.issuer} ${row.receipt}`, row);
    const { named = [] } = report;
    const vendorId = row.vendorId ?? reportedFor ?? null;
    const numbered = { ...row, vendorId, named, isDoubtful: row.doubt !== null };
    for (const number of new Set([plainReference(row.receipt), ...named])) {
      this.#like.set(number, [...(this.#like.get(number) ?? []), numbered]);
    }
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

async function foresee(db: Queryable, report: ReceiptReport, preview: Preview): Promise<Foreseen> {
  const reportedFor = await vendorOf(db, report, report.channel);
  const identified = await identify(db, report, reportedFor, preview);
  const { known, doubt } = identified;
  if (await isDebited(db, report)) {
    const kind = (known?.reversedAt ?? null) === null ? 'reversed' : 'repeated';
    preview.add(
      { ...rowOf(report, identified, null), reversedAt: new Date() },
      report,
      reportedFor,
    );
    return { kind };
  }
  const asked = known === undefined || known.account === null ? report : known;
  const vendorId = await vendorOf(db, asked, report.channel);
  const about = { known, vendorId, confirmFromCents: null, now: new Date(), doubt };
  const decision = decideReport(report, about);
  if (decision.kind === 'conflict') return { kind: 'conflicts' };
  const row = rowOf(report, identified, decision);
  preview.add(row, report, reportedFor);
  // A claim that its process left is credited by a job, or by this.
  if (row.state !== 'claimed' || row.vendorId === null) {
    return { kind: decision.kind === 'repeat' ? 'repeated' : 'waiting' };
  }
  if (!(await mayCollect(db, row.collector, row.vendorId))) return { kind: 'waiting' };
  preview.add({ ...row, state: 'credited' }, report, reportedFor);
  return { kind: 'credited', vendorId: row.vendorId };
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
    ...{ vendorId: null, moves: 0, movedCents: null },
  };
  if (decision === null || decision.kind === 'repeat') return row;
  const state = decision.kind === 'new' ? decision.state : 'claimed';
  return { ...row, state, vendorId: decision.vendorId };
}
