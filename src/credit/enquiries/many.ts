import type { ErrorCode } from '../../platform/base/errors.ts';
import { Refusal } from '../../platform/base/errors.ts';
import { byBucket } from '../../parties/by-bucket-store.ts';
import { nextTurn } from '../../platform/base/turns.ts';
import { databaseTransaction } from '../../platform/db/pool.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import type { BureauAnswer, BureauFinding } from '../bureaus/bureau.ts';
import { openCases } from '../registry/cases-store.ts';
import { isMiss, refusalCodeOf } from './disclosure.ts';
import { readKeptOfEach } from './kept-store.ts';
import { MISS_WINDOW_MS } from './miss-limit.ts';
import { countMisses } from './misses-store.ts';
import { requireSame, toKeep } from './service.ts';
import type { Enquiry, RecordingOptions } from './service.ts';
import { appendEnquiries } from './store.ts';
import type { KeptEnquiry, NewEnquiry } from './store.ts';

/** How one of many enquiries ended: answered, or why not. */
export type EnquiryEnding =
  | { readonly kind: 'answered' }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly field?: string };

export interface ManyOptions extends RecordingOptions {
  readonly pool: Pool;
  /** For each strict vendor; 0: no limit. */
  readonly missesPerHour: number;
}

/**
 * Answers enquiries of one vendor for one operation as `EnquiryService.ask` would answer each, with
 * one commit for all. Endings are in the order of the enquiries.
 * @param commit writes what belongs to the same commit.
 * Throws: `scoring_unavailable` if the bureau answers one enquiry at a time only.
 */
export async function askMany(
  options: ManyOptions,
  enquiries: readonly Enquiry[],
  by: {
    readonly present: (finding: BureauFinding, enquiry: Enquiry) => object;
    readonly commit: (db: Queryable, endings: readonly EnquiryEnding[]) => Promise<void>;
  },
): Promise<void> {
  const kept = await keptOf(options.pool, enquiries);
  const endings = new Map<Enquiry, EnquiryEnding>();
  const fresh: Enquiry[] = [];
  for (const enquiry of enquiries) {
    const earlier = kept.get(enquiry.requestReference);
    if (earlier === undefined) fresh.push(enquiry);
    else endings.set(enquiry, repeatOf(earlier, enquiry, options));
  }
  const made = await answer(options, fresh, { present: by.present, endings });
  await databaseTransaction(options.pool, async (client) => {
    const results = await byBucket(
      client,
      made.map(({ enquiry, item }) => ({ vendorId: enquiry.vendor.vendorId, item })),
      async (bucket, owned) =>
        await appendEnquiries(
          client,
          bucket,
          owned.map(({ item }) => item),
        ),
    );
    for (const [index, { enquiry, item }] of made.entries()) {
      const earlier = results[index];
      endings.set(
        enquiry,
        earlier === undefined
          ? endingOf(item.record.outcome, enquiry)
          : repeatOf(earlier, enquiry, options),
      );
    }
    await by.commit(
      client,
      enquiries.map((enquiry) => endings.get(enquiry) ?? refused('internal_error')),
    );
  });
}

async function keptOf(
  pool: Pool,
  enquiries: readonly Enquiry[],
): Promise<ReadonlyMap<string, KeptEnquiry>> {
  const [first] = enquiries;
  if (first === undefined) return new Map();
  const kept = await readKeptOfEach(pool, {
    vendorId: first.vendor.vendorId,
    operation: first.operation,
    requestReferences: enquiries.map(({ requestReference }) => requestReference),
  });
  return new Map(kept.map((one) => [one.requestReference, one]));
}

interface Made {
  readonly enquiry: Enquiry;
  readonly item: NewEnquiry;
}

/** Enquiries to be recorded; those that a miss limit stops are refused instead. */
async function answer(
  options: ManyOptions,
  enquiries: readonly Enquiry[],
  {
    present,
    endings,
  }: {
    readonly present: (finding: BureauFinding, enquiry: Enquiry) => object;
    readonly endings: Map<Enquiry, EnquiryEnding>;
  },
): Promise<Made[]> {
  const { bureau, pool, clock } = options;
  if (bureau.askMany === undefined) throw new Refusal('scoring_unavailable');
  const startedMs = performance.now();
  let missesLeft = await missesLeftOf(options, enquiries[0]);
  const answers = await bureau.askMany(enquiries);
  const made: Made[] = [];
  const conflicts: (readonly bigint[])[] = [];
  for (const [index, enquiry] of enquiries.entries()) {
    const answered = answers[index];
    if (answered === undefined || answered.kind === 'unavailable') {
      throw new Error('The bureau left an enquiry unanswered');
    }
    // Of hits, too: otherwise the refusal alone would say that a document or name is wrong.
    if (missesLeft === 0) {
      endings.set(enquiry, refused('too_many_requests'));
      continue;
    }
    if (isMiss(outcomeOf(answered))) missesLeft -= 1;
    if (answered.kind === 'conflict' && answered.crns.length > 0) conflicts.push(answered.crns);
    const body =
      answered.kind === 'found' ? JSON.stringify(present(answered.finding, enquiry)) : null;
    made.push({ enquiry, item: toKeep(enquiry, answered, { options, body, startedMs }) });
    if (made.length % SLICE_ENQUIRIES === 0) await nextTurn();
  }
  if (conflicts.length > 0) await openCases(pool, 'documents_conflict', conflicts, clock.now());
  return made;
}

/** Presented and sealed between two turns of the event loop: a few milliseconds of work. */
const SLICE_ENQUIRIES = 25;

async function missesLeftOf(
  { pool, clock, missesPerHour }: ManyOptions,
  enquiry: Enquiry | undefined,
): Promise<number> {
  if (enquiry?.vendor.enquiryPolicy !== 'strict' || missesPerHour === 0) return Infinity;
  const after = new Date(clock.now().getTime() - MISS_WINDOW_MS);
  const { vendorId } = enquiry.vendor;
  const { count } = await countMisses(pool, { vendorId, after, atMost: missesPerHour });
  return Math.max(0, missesPerHour - count);
}

function outcomeOf({ kind }: Exclude<BureauAnswer, { kind: 'unavailable' }>) {
  return kind === 'found' ? 'answered' : kind;
}

function endingOf(outcome: ReturnType<typeof outcomeOf>, enquiry: Enquiry): EnquiryEnding {
  return outcome === 'answered'
    ? { kind: 'answered' }
    : refused(refusalCodeOf(outcome, enquiry.vendor.enquiryPolicy));
}

function repeatOf(
  earlier: KeptEnquiry,
  enquiry: Enquiry,
  { vault }: RecordingOptions,
): EnquiryEnding {
  try {
    requireSame(earlier, enquiry, vault);
    return endingOf(earlier.outcome, enquiry);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { ...refused(error.code), field: 'requestReference' };
  }
}

function refused(code: ErrorCode): EnquiryEnding & { kind: 'refused' } {
  return { kind: 'refused', code };
}
