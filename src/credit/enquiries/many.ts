import type { ErrorCode } from '../../platform/base/errors.ts';
import { Refusal } from '../../platform/base/errors.ts';
import { byBucket } from '../../parties/by-bucket-store.ts';
import { nextTurn } from '../../platform/base/turns.ts';
import { databaseTransaction } from '../../platform/db/pool.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import type { BureauFinding } from '../bureaus/bureau.ts';
import { openCases } from '../registry/cases-store.ts';
import { isMiss, refusalCodeOf } from './disclosure.ts';
import { readKeptOfEach } from './read-kept.ts';
import { MISS_WINDOW_MS } from './miss-limit.ts';
import { countMisses } from './misses-store.ts';
import type { EnquiryOutcome } from './record.ts';
import { requireSame, toKeep } from './service.ts';
import type { Enquiry, RecordingOptions } from './service.ts';
import { appendEnquiries, lockHeads } from './store.ts';
import type { KeptEnquiry, NewEnquiry } from './store.ts';

/** The end of one of many enquiries: answered, or refused with a reason. */
export type EnquiryEnding =
  | { readonly kind: 'answered' }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly field?: string };

export interface ManyOptions extends RecordingOptions {
  readonly pool: Pool;
  /** Limit of each strict vendor; 0: no limit. */
  readonly missesPerHour: number;
}

/** Enquiries of one vendor for one operation that were answered and not recorded. */
export interface PreparedEnquiries {
  readonly enquiries: readonly Enquiry[];
  /** Results of the enquiries that were recorded earlier. */
  readonly repeats: ReadonlyMap<Enquiry, EnquiryEnding>;
  readonly made: readonly Made[];
}

interface Made {
  readonly enquiry: Enquiry;
  readonly item: NewEnquiry;
}

/**
 * Answers enquiries of one vendor for one operation as `EnquiryService.ask` would answer each.
 * Nothing is disclosed before `recordMany` has recorded them.
 * Throws: `scoring_unavailable` if the bureau answers one enquiry at a time only.
 */
export async function prepareMany(
  options: ManyOptions,
  enquiries: readonly Enquiry[],
  present: (finding: BureauFinding, enquiry: Enquiry) => object,
): Promise<PreparedEnquiries> {
  const kept = await keptOf(options.pool, enquiries);
  const repeats = new Map<Enquiry, EnquiryEnding>();
  const fresh: Enquiry[] = [];
  for (const enquiry of enquiries) {
    const earlier = kept.get(enquiry.requestReference);
    if (earlier === undefined) fresh.push(enquiry);
    else repeats.set(enquiry, repeatOf(earlier, enquiry, options));
  }
  return { enquiries, repeats, made: await answer(options, fresh, present) };
}

/**
 * Records prepared enquiries with one commit for all. Endings are in the order of the enquiries.
 * @param commit writes what belongs to the same commit.
 */
export async function recordMany(
  options: ManyOptions,
  { enquiries, repeats, made }: PreparedEnquiries,
  commit: (db: Queryable, endings: readonly EnquiryEnding[]) => Promise<void>,
): Promise<void> {
  await databaseTransaction(options.pool, async (client) => {
    const owned = made.map((one) => ({ vendorId: one.enquiry.vendor.vendorId, ...one }));
    const ended = await byBucket(
      client,
      owned,
      async (bucket, group) => await appendAllowed(client, bucket, group, options),
    );
    const endings = new Map(made.map(({ enquiry }, index) => [enquiry, ended[index]]));
    await commit(
      client,
      enquiries.map(
        (enquiry) => repeats.get(enquiry) ?? endings.get(enquiry) ?? refused('internal_error'),
      ),
    );
  });
}

/** Records the enquiries that the vendor's miss limit allows. Returns the ending of each. */
async function appendAllowed(
  db: Queryable,
  bucket: number,
  made: readonly Made[],
  options: ManyOptions,
): Promise<EnquiryEnding[]> {
  const allowed = await allowedOf(db, bucket, made, options);
  const results = await appendEnquiries(
    db,
    bucket,
    allowed.map(({ item }) => item),
  );
  const endings = new Map(
    allowed.map(({ enquiry, item }, index) => {
      const earlier = results[index];
      return [
        enquiry,
        earlier === undefined
          ? endingOf(item.record.outcome, enquiry)
          : repeatOf(earlier, enquiry, options),
      ];
    }),
  );
  return made.map(({ enquiry }) => endings.get(enquiry) ?? refused('too_many_requests'));
}

/**
 * The enquiries up to the miss that reaches the limit. Later hits are not among them: otherwise the
 * refusal alone would say that a document or name is wrong. The head of the vendor's chain is locked
 * before misses are counted, so that several batches at once do not exceed the limit together.
 */
async function allowedOf(
  db: Queryable,
  bucket: number,
  made: readonly Made[],
  { clock, missesPerHour }: ManyOptions,
): Promise<readonly Made[]> {
  const vendor = made[0]?.enquiry.vendor;
  if (vendor?.enquiryPolicy !== 'strict' || missesPerHour === 0) return made;
  const { vendorId } = vendor;
  await lockHeads(db, bucket, [vendorId]);
  const after = new Date(clock.now().getTime() - MISS_WINDOW_MS);
  const { count } = await countMisses(db, { vendorId, after, atMost: missesPerHour });
  let left = Math.max(0, missesPerHour - count);
  const allowed: Made[] = [];
  for (const one of made) {
    if (left === 0) break;
    if (isMiss(one.item.record.outcome)) left -= 1;
    allowed.push(one);
  }
  return allowed;
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

/** Enquiries to be recorded. */
async function answer(
  options: ManyOptions,
  enquiries: readonly Enquiry[],
  present: (finding: BureauFinding, enquiry: Enquiry) => object,
): Promise<Made[]> {
  const { bureau, pool, clock } = options;
  if (bureau.askMany === undefined) throw new Refusal('scoring_unavailable');
  const startedMs = performance.now();
  const answers = await bureau.askMany(enquiries);
  const made: Made[] = [];
  const conflicts: (readonly bigint[])[] = [];
  for (const [index, enquiry] of enquiries.entries()) {
    const answered = answers[index];
    if (answered === undefined || answered.kind === 'unavailable') {
      throw new Error('The bureau left an enquiry unanswered');
    }
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

function endingOf(outcome: EnquiryOutcome, enquiry: Enquiry): EnquiryEnding {
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
