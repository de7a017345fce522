import type { PulledPage, ReportedPayment } from '../../connectors/source.ts';
import { keepUnread } from '../messages/unread.ts';
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
/** A provider sometimes answers nothing; this often in a row, somebody has to look. */
const ALERT_AFTER = 3;
/** After this many receipts that cannot be taken, the pull stops: they have one cause. */
const MAX_FAILED = 20;

export interface PullDeps extends ReceiptDeps {
  readonly sources: ReceiptSources;
  /** Interval between two pulls of a source. */
  readonly everyMs: number;
  /** Pulls that failed in a row, by source, in this process. */
  readonly failures: Map<string, number>;
}

/** Pulls every source that is due; a receipt that is known already changes nothing. */
export async function pullDueSources(deps: PullDeps, signal: AbortSignal): Promise<void> {
  for (const source of deps.sources.sources()) {
    if (source.provider.pull === null || signal.aborted) continue;
    const due = await takeTurn(deps.pool, source.row.sourceCode, deps.everyMs);
    if (due === undefined) continue;
    const { sourceCode } = source.row;
    try {
      await pullSource(deps, source, { ...due, signal });
      deps.failures.delete(sourceCode);
    } catch (error) {
      // One provider that does not answer must not hold up the others.
      const inRow = (deps.failures.get(sourceCode) ?? 0) + 1;
      deps.failures.set(sourceCode, inRow);
      const level = inRow < ALERT_AFTER ? 'warn' : 'error';
      deps.log[level]({ err: error, sourceCode, inRow }, 'receipts were not pulled');
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
  const progress = { seen: new Set<string>(), pages: new Set<string>(), notKept: 0, failed: 0 };
  let offset = 0;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const listed = await pull({ ...period, offset }, turn.signal);
    const rows = rowsOf(listed);
    if (rows === 0 && page === 0 && listed.mayBeUnknown === true && !hasListed(turn)) {
      deps.log.warn({ sourceCode }, UNKNOWN_TEXT);
      return 0;
    }
    // A provider that ignores the offset repeats a page. One without a new row only means that rows have moved.
    if (rows === 0 || progress.pages.has(keyOf(listed))) break;
    progress.pages.add(keyOf(listed));
    await takePage(deps, source, listed, progress);
    offset += rows;
    if (page === MAX_PAGES - 1) throw new Error(`source ${sourceCode}: the pull has no end`);
  }
  const { seen, notKept, failed } = progress;
  // The others are taken. The period is pulled again until all of them can be.
  if (notKept + failed > 0) {
    const text = `${notKept} rows of the pull could not be kept, ${failed} could not be taken`;
    throw new Error(`source ${sourceCode}: ${text}`);
  }
  await setPulledUntil(deps.pool, sourceCode, turn.now);
  return seen.size;
}

const UNKNOWN_TEXT =
  'the provider lists nothing, as for an account that it does not know: check that the pull is registered';

interface Progress {
  readonly seen: Set<string>;
  /** Rows that cannot be read while too many wait for people. */
  notKept: number;
  failed: number;
}

/** Throws the error of the last one if many receipts could not be taken. */
async function takePage(
  deps: ReceiptDeps,
  source: OpenSource,
  { payments, others = [], unreadable }: PulledPage,
  progress: Progress,
): Promise<void> {
  const { seen } = progress;
  for (const other of others.filter((each) => !seen.has(each))) {
    seen.add(other);
    const { sourceCode } = source.row;
    deps.log.info({ sourceCode, movement: other }, 'a movement of the pull is no payment');
  }
  // Whatever the order of the rows, what came in is taken before what went back.
  const fresh = payments
    .filter((payment) => !seen.has(contentOf(payment)))
    .toSorted((one, other) => Number(one.isReversal) - Number(other.isReversal));
  for (const payment of fresh) {
    seen.add(contentOf(payment));
    try {
      await takePayment(deps, source, { payment, channel: 'pull' });
    } catch (error) {
      // One receipt must not hold up the others.
      progress.failed += 1;
      if (progress.failed === MAX_FAILED) throw error;
      deps.log.error({ err: error, receipt: payment.receipt }, 'a receipt could not be taken');
    }
  }
  const about = { senderKind: 'source', sender: source.row.sourceCode, channel: 'pull' } as const;
  for (const row of unreadable) {
    if (await keepUnread(deps, { ...about, reference: null, ...row })) continue;
    progress.notKept += 1;
  }
}

function rowsOf({ payments, others = [], unreadable }: PulledPage): number {
  return payments.length + others.length + unreadable.length;
}

/** Equal only for a page with the same rows. */
function keyOf({ payments, others = [], unreadable, digest }: PulledPage): string {
  const unread = unreadable.map(({ body }) => body.toString('base64'));
  return digest ?? JSON.stringify([payments.map(contentOf), others, unread]);
}

/** True once an answer of the source is known to be about our account. */
function hasListed({ pulledUntil }: PullTurn): boolean {
  return pulledUntil !== null;
}

/** Equal only for a row that is listed again: a reversal may have the number of its payment. */
function contentOf(payment: ReportedPayment): string {
  const { receipt, isReversal, amountCents, account, paidAt } = payment;
  return JSON.stringify([receipt, isReversal, String(amountCents), account, paidAt]);
}
