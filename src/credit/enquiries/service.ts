import { crashPoint } from '#crash-points';
import { createHash, randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Clock } from '../../platform/base/clock.ts';
import { isoDay } from '../../platform/base/days.ts';
import { Refusal } from '../../platform/base/errors.ts';
import { newId } from '../../platform/base/ids.ts';
import { LIMITS } from '../../platform/base/limits.ts';
import { createLane } from '../../platform/db/lane.ts';
import type { BucketOf, Lane, OnBatch } from '../../platform/db/lane.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { Bureau, BureauAnswer, BureauFinding, BureauQuestion } from '../bureaus/bureau.ts';
import type { EnquiryPolicy } from '../../parties/vendor.ts';
import { openCases } from '../registry/cases-store.ts';
import type { Vault } from '../registry/vault.ts';
import { isMiss, missDelayMs, refusalCodeOf } from './disclosure.ts';
import { createMissLimit } from './miss-limit.ts';
import type { MissLimit } from './miss-limit.ts';
import { payloadLocation } from './record.ts';
import type { EnquiryOutcome, EnquiryPayload, EnquiryRecord } from './record.ts';
import { keepEnquiries, readKept } from './store.ts';
import type { KeptEnquiry, NewEnquiry } from './store.ts';

export interface Enquiry extends BureauQuestion {
  /** Parameters as given, without the signature. */
  readonly content: Readonly<Record<string, string>>;
  /** Names the key that signed the request. */
  readonly keyId: string;
  readonly consentReference: string | null;
  readonly consentDate: string | null;
}

/** Answers each enquiry once, and records every one. */
export interface EnquiryService {
  /**
   * The body of the answer as JSON text; repeating the same enquiry returns the same text. A
   * vendor's reference and the operation identify an enquiry.
   * @param present creates the body from the bureau's findings.
   * Throws: `subject_not_found`, `subject_mismatch`, `subject_ambiguous`, `reference_reused`,
   * `bureau_unavailable`, `bureau_outcome_unknown`, `too_many_requests`, and the lane's errors.
   */
  ask(
    enquiry: Enquiry,
    present: (finding: BureauFinding, source: string) => object,
  ): Promise<string>;
  idle(): Promise<void>;
}

export interface EnquiryServiceOptions {
  readonly pool: Pool;
  readonly lanePool: Pool;
  readonly laneConnections: number;
  readonly laneDeadlineMs: number;
  /** Default: all vendors are in one bucket. */
  readonly bucketOf?: BucketOf | undefined;
  readonly onBatch?: OnBatch;
  readonly vault: Vault;
  readonly bureau: Bureau;
  readonly clock: Clock;
  /** Limit of each strict vendor; 0: no limit. */
  readonly missesPerHour: number;
}

/** The dependencies needed to record an enquiry. */
export type RecordingOptions = Pick<EnquiryServiceOptions, 'vault' | 'clock' | 'bureau'>;

export function createEnquiryService(options: EnquiryServiceOptions): EnquiryService {
  return new Enquiries(options);
}

class Enquiries implements EnquiryService {
  readonly #options: EnquiryServiceOptions;
  readonly #misses: MissLimit;
  readonly #lane: Lane<NewEnquiry, KeptEnquiry | undefined>;
  readonly #inHand = new Map<
    string,
    { readonly enquiry: Enquiry; readonly ending: Promise<Ending> }
  >();

  constructor(options: EnquiryServiceOptions) {
    this.#options = options;
    const { pool, clock, missesPerHour, bucketOf } = options;
    this.#misses = createMissLimit({ pool, clock, perHour: missesPerHour });
    this.#lane = createLane({
      name: 'enquiry lane',
      pool: options.lanePool,
      atOnce: { maxCalls: options.laneConnections, vendorOf },
      partOf: bucketOf && ((made) => bucketOf(vendorOf(made))),
      maxBatch: LIMITS.enquiryBatchRows,
      maxWaiting: LIMITS.enquiryQueueRows,
      deadlineMs: options.laneDeadlineMs,
      onBatch: options.onBatch,
      call: keepEnquiries,
    });
  }

  async idle(): Promise<void> {
    await this.#lane.idle();
  }

  async ask(enquiry: Enquiry, present: Present): Promise<string> {
    const startedMs = performance.now();
    const { outcome, body } = await this.#askTogether({ enquiry, present, startedMs });
    if (body !== null) return body;
    const policy = enquiry.vendor.enquiryPolicy;
    if (policy === 'strict' && isMiss(outcome)) {
      await setTimeout(missDelayMs(performance.now() - startedMs));
    }
    return refuse(outcome, policy);
  }

  /**
   * A repeat that arrives early waits for the first, so that an upstream is asked, and bills, only
   * once.
   */
  async #askTogether(asked: Asked): Promise<Ending> {
    const { enquiry } = asked;
    const key = `${enquiry.vendor.vendorId} ${enquiry.operation} ${enquiry.requestReference}`;
    const first = this.#inHand.get(key);
    if (first !== undefined) {
      requireSameContent(first.enquiry.content, enquiry);
      return await first.ending;
    }
    const ending = this.#askOnce(asked).finally(() => this.#inHand.delete(key));
    this.#inHand.set(key, { enquiry, ending });
    return await ending;
  }

  async #askOnce(asked: Asked): Promise<Ending> {
    const { enquiry } = asked;
    const { pool, vault } = this.#options;
    const { vendor, requestReference, operation } = enquiry;
    const kept = await readKept(pool, { vendorId: vendor.vendorId, requestReference, operation });
    if (kept !== undefined) {
      const first = requireSame(kept, enquiry, vault);
      // If the upstream's outcome is unknown, a repeat asks again.
      if (kept.outcome !== 'unknown') return { outcome: kept.outcome, body: first.answer };
    }
    const ask = async (): Promise<Ending> => await this.#askBureau(asked);
    return vendor.enquiryPolicy === 'strict'
      ? await this.#misses.within(vendor.vendorId, ask)
      : await ask();
  }

  /** Asks the bureau and records its answer. */
  async #askBureau({ enquiry, present, startedMs }: Asked): Promise<Ending> {
    const { bureau, pool, clock, vault } = this.#options;
    const answer = await bureau.ask(enquiry);
    if (answer.kind === 'unavailable') {
      throw new Refusal('bureau_unavailable', { retryAfterSeconds: answer.retryAfterSeconds });
    }
    if (answer.kind === 'conflict' && answer.crns.length > 0) {
      await openCases(pool, 'documents_conflict', [answer.crns], clock.now());
    }
    const body =
      answer.kind === 'found' ? JSON.stringify(present(answer.finding, bureau.source)) : null;
    const made = toKeep(enquiry, answer, { options: this.#options, body, startedMs });
    const earlier = await this.#keep(made);
    if (earlier === undefined) return { outcome: made.record.outcome, body };
    return { outcome: earlier.outcome, body: requireSame(earlier, enquiry, vault).answer };
  }

  async #keep(made: NewEnquiry): Promise<KeptEnquiry | undefined> {
    crashPoint('enquiry:before-commit');
    const kept = await this.#lane.add(made);
    crashPoint('enquiry:after-commit');
    return kept;
  }
}

interface Asked {
  readonly enquiry: Enquiry;
  readonly present: Present;
  readonly startedMs: number;
}

type Present = Parameters<EnquiryService['ask']>[1];

/** The result of an enquiry, now or when it was first made. */
interface Ending {
  readonly outcome: EnquiryOutcome;
  /** Null if nothing is disclosed. */
  readonly body: string | null;
}

function refuse(outcome: EnquiryOutcome, policy: EnquiryPolicy): never {
  if (outcome === 'answered') throw new Error('An answered enquiry has no answer');
  const retry = outcome === 'unknown' ? { retryAfterSeconds: 10 } : {};
  throw new Refusal(refusalCodeOf(outcome, policy), retry);
}

/** The record under the reference, if the request was the same. */
export function requireSame(kept: KeptEnquiry, enquiry: Enquiry, vault: Vault): EnquiryPayload {
  if (kept.sealedPayload === null) throw reused('long ago; its answer is no longer kept');
  const location = payloadLocation(kept.vendorId, kept.enquiryId);
  const payload = JSON.parse(vault.unseal(kept.sealedPayload, location)) as EnquiryPayload;
  requireSameContent(payload.request, enquiry);
  return payload;
}

function requireSameContent(content: Enquiry['content'], enquiry: Enquiry): void {
  if (contentText(content) !== contentText(enquiry.content)) throw reused('with other content');
}

function reused(how: string): Refusal {
  return new Refusal('reference_reused', {
    field: 'requestReference',
    text: `This requestReference was used ${how}`,
  });
}

function contentText(content: Readonly<Record<string, string>>): string {
  return JSON.stringify(Object.entries(content).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

export function toKeep(
  enquiry: Enquiry,
  answer: Exclude<BureauAnswer, { kind: 'unavailable' }>,
  made: {
    readonly options: RecordingOptions;
    readonly body: string | null;
    readonly startedMs: number;
  },
): NewEnquiry {
  const { vault, clock, bureau } = made.options;
  const enquiryId = newId();
  const payload: EnquiryPayload = {
    salt: randomBytes(16).toString('hex'),
    request: enquiry.content,
    answer: made.body,
  };
  const payloadText = JSON.stringify(payload);
  const finding = answer.kind === 'found' ? answer.finding : undefined;
  const details = answer.kind === 'unknown' ? undefined : answer;
  const record: EnquiryRecord = {
    vendorId: enquiry.vendor.vendorId,
    enquiryId,
    enquiredAt: clock.now(),
    operation: enquiry.operation,
    requestReference: enquiry.requestReference,
    reportReason: enquiry.reportReason,
    reportSector: enquiry.reportSector,
    consentReference: enquiry.consentReference,
    consentDate: enquiry.consentDate,
    keyId: enquiry.keyId,
    documents: enquiry.documents
      .map(({ type, number }) => vault.index('document', `${type}|${number}`).toString('hex'))
      .join(','),
    outcome: answer.kind === 'found' ? 'answered' : answer.kind,
    crn: finding?.crn ?? null,
    matchRule: details?.matchRule ?? null,
    matchScore: details?.matchScore?.toFixed(4) ?? null,
    scorecard: finding?.score?.scorecard ?? null,
    score: finding?.score?.score ?? null,
    grade: finding?.score?.grade ?? null,
    probability: finding?.score?.probability ?? null,
    source: bureau.source,
    upstreamId: details?.upstreamId ?? null,
    dataAsOf: finding === undefined ? null : isoDay(finding.file.asOf),
    durationMs: Math.round(performance.now() - made.startedMs),
    payloadHash: createHash('sha256').update(payloadText, 'utf8').digest(),
  };
  return {
    record,
    sealedPayload: vault.seal(payloadText, payloadLocation(record.vendorId, enquiryId)),
    // Only subjects about whom something was disclosed.
    crns: details?.kind === 'found' ? details.crns : [],
    askedBy: enquiry.vendor.name,
    sector: enquiry.vendor.sector,
    challenger: finding?.challenger ?? null,
  };
}

function vendorOf({ record }: NewEnquiry): number {
  return record.vendorId;
}
