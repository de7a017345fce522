import type { Queryable } from '../../platform/db/pool.ts';
import { decideReport } from './judge-report.ts';
import { identify } from './identify.ts';
import type { ReceiptReport } from './receipt.ts';
import { isDebited, listReceiptsOfEntry } from './store.ts';
import { vendorOf } from './take.ts';

/** The effect that a report of a payment would have now. */
export type Foreseen =
  | { readonly kind: 'credited'; readonly vendorId: number }
  | { readonly kind: 'waiting' | 'repeated' | 'conflicts' | 'reversed' };

/** Foresees the reports of one bank entry as `takeLines` would take them. Changes nothing. */
export async function foreseeEntry(
  db: Queryable,
  entry: readonly ReceiptReport[],
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
    foreseen.push(isNew ? { kind: 'conflicts' } : await foresee(db, report));
  }
  return foreseen;
}

async function foresee(db: Queryable, report: ReceiptReport): Promise<Foreseen> {
  const reportedFor = await vendorOf(db, report, report.channel);
  const { known, doubt } = await identify(db, report, reportedFor, false);
  if (await isDebited(db, report)) {
    return { kind: (known?.reversedAt ?? null) === null ? 'reversed' : 'repeated' };
  }
  const asked = known === undefined || known.account === null ? report : known;
  const vendorId = await vendorOf(db, asked, report.channel);
  const about = { known, vendorId, confirmFromCents: null, now: new Date(), doubt };
  const decision = decideReport(report, about);
  if (decision.kind === 'conflict') return { kind: 'conflicts' };
  if (decision.kind === 'repeat') {
    // A claim that its process left is credited by a job, or by this.
    const claimedFor = known?.state === 'claimed' ? known.vendorId : null;
    return claimedFor === null ? { kind: 'repeated' } : { kind: 'credited', vendorId: claimedFor };
  }
  return decision.vendorId === null
    ? { kind: 'waiting' }
    : { kind: 'credited', vendorId: decision.vendorId };
}
