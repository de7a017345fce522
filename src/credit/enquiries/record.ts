import { createHash } from 'node:crypto';
import type { CreditOperation } from '../bureaus/bureau.ts';

export const ENQUIRY_OUTCOMES = [
  'answered',
  'not_found',
  'mismatch',
  'conflict',
  'unknown',
] as const;
export type EnquiryOutcome = (typeof ENQUIRY_OUTCOMES)[number];

/** One recorded enquiry. */
export interface EnquiryRecord {
  readonly vendorId: number;
  readonly enquiryId: string;
  readonly enquiredAt: Date;
  readonly operation: CreditOperation;
  readonly requestReference: string;
  readonly reportReason: number;
  readonly reportSector: number | null;
  readonly consentReference: string | null;
  readonly consentDate: string | null;
  readonly keyId: string;
  readonly documents: string;
  readonly outcome: EnquiryOutcome;
  readonly crn: string | null;
  readonly matchRule: string | null;
  readonly matchScore: string | null;
  readonly scorecard: string | null;
  readonly score: string | null;
  readonly grade: string | null;
  readonly probability: string | null;
  readonly source: string;
  readonly upstreamId: string | null;
  readonly dataAsOf: string | null;
  readonly durationMs: number;
  /** SHA-256 of the unencrypted payload. */
  readonly payloadHash: Buffer;
}

/** The sealed part of an enquiry. The salt keeps the payload's hash from revealing anything. */
export interface EnquiryPayload {
  readonly salt: string;
  /** Parameters as given, without the signature. */
  readonly request: Readonly<Record<string, string>>;
  /** The body of the answer, byte for byte; null if there was none. */
  readonly answer: string | null;
}

/** Bound into the sealed payload. */
export function payloadLocation(vendorId: number, enquiryId: string): string {
  return `enquiries|${vendorId}|${enquiryId}`;
}

/**
 * The hash of an enquiry in its vendor's chain: SHA-256 over the previous hash (nothing for the
 * first) and a JSON array of the sequence and every field in a fixed order.
 */
export function chainHash(previous: Buffer, sequence: bigint, record: EnquiryRecord): Buffer {
  const line = JSON.stringify([
    record.vendorId,
    String(sequence),
    record.enquiryId,
    record.enquiredAt.toISOString(),
    record.operation,
    record.requestReference,
    record.reportReason,
    record.reportSector,
    record.consentReference,
    record.consentDate,
    record.keyId,
    record.documents,
    record.outcome,
    record.crn,
    record.matchRule,
    record.matchScore,
    record.scorecard,
    record.score,
    record.grade,
    record.probability,
    record.source,
    record.upstreamId,
    record.dataAsOf,
    record.durationMs,
    record.payloadHash.toString('hex'),
  ]);
  return createHash('sha256').update(previous).update(line, 'utf8').digest();
}
