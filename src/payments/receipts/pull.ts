import type { ReportedPayment } from '../../connectors/source.ts';
import { setPulledUntil, takeTurn } from './sources-store.ts';
import type { PullTurn } from './sources-store.ts';
import type { OpenSource, ReceiptSources } from './sources.ts';
import { takePayment } from './take-payment.ts';
import type { ReceiptDeps } from './take.ts';

/** Daraja lists the last 48 hours; a little less, because its clock may differ. */
const REACH_MS = 47.5 * 3_600_000;
/** Each pull goes back this far again: a receipt may be listed late. */
const OVERLAP_MS = 3_600_000;
/** The number of rows on a page is not documented. */
const MAX_PAGES = 5_000;
/** After this many receipts that cannot be taken, the pull stops: they have one cause. */
const MAX_FAILED = 20;

export interface PullDeps extends ReceiptDeps {
  readonly sources: ReceiptSources;
  /** Interval between two pulls of a source. */
  readonly everyMs: number;
}

/** Pulls every source that is due; a receipt that is known already changes nothing. */
export async function pullDueSources(deps: PullDeps, signal: AbortSignal): Promise<void> {
  for (const source of deps.sources.sources()) {
    if (source.provider.pull === null || signal.aborted) continue;
    const due = await takeTurn(deps.pool, source.row.sourceCode, deps.everyMs);
    if (due === undefined) continue;
    try {
      await pullSource(deps, source, { ...due, signal });
    } catch (error) {
      // One provider that does not answer must not hold up the others.
      deps.log.warn({ err: error, sourceCode: source.row.sourceCode }, 'receipts were not pulled');
    }
  }
}

/** Pulls what was paid since the last pull. Returns how many different rows were listed. */
export async function pullSource(
  deps: ReceiptDeps,
  source: OpenSource,
  turn: PullTurn & { readonly signal: AbortSignal },
): Promise<number> {
  const { sourceCode } = source.row;
  const reachMs = turn.now.getTime() - REACH_MS;
  const sinceMs = (turn.pulledUntil?.getTime() ?? reachMs) - OVERLAP_MS;
  if (turn.pulledUntil !== null && sinceMs + OVERLAP_MS < reachMs) {
    const until = turn.pulledUntil.toISOString();
    deps.log.error({ sourceCode, until }, 'receipts are missing: the last pull is too long ago');
  }
  const { pull } = source.provider;
  if (pull === null) throw new Error(`source ${sourceCode}: its provider lists no payments`);
  const period = { from: new Date(Math.max(sinceMs, reachMs)), to: turn.now };
  const seen = new Set<string>();
  let [unreadable, failed, offset] = [0, 0, 0];
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const listed = await pull({ ...period, offset }, turn.signal);
    // Whatever the order of the rows, what came in is taken before what went back.
    const fresh = listed.payments
      .filter((payment) => !seen.has(contentOf(payment)))
      .toSorted((one, other) => Number(one.isReversal) - Number(other.isReversal));
    for (const payment of fresh) {
      seen.add(contentOf(payment));
      try {
        await takePayment(deps, source, { payment, channel: 'pull' });
      } catch (error) {
        // One receipt must not hold up the others.
        failed += 1;
        if (failed === MAX_FAILED) throw error;
        deps.log.error({ err: error, receipt: payment.receipt }, 'a receipt could not be taken');
      }
    }
    unreadable += listed.unreadable;
    if (fresh.length === 0) break;
    offset += listed.payments.length + listed.unreadable;
    if (page === MAX_PAGES - 1) throw new Error(`source ${sourceCode}: the pull has no end`);
  }
  // Readable receipts are taken. The period is pulled again until all of them can be.
  if (unreadable + failed > 0) {
    const text = `${unreadable} rows of the pull cannot be read, ${failed} could not be taken`;
    throw new Error(`source ${sourceCode}: ${text}`);
  }
  await setPulledUntil(deps.pool, sourceCode, turn.now);
  return seen.size;
}

/** Equal only for a row that is listed again: a reversal may have the number of its payment. */
function contentOf(payment: ReportedPayment): string {
  const { receipt, isReversal, amountCents, account, paidAt } = payment;
  return JSON.stringify([receipt, isReversal, String(amountCents), account, paidAt]);
}
