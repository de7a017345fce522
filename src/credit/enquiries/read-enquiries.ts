import type { Queryable } from '../../platform/db/pool.ts';
import type { CreditOperation } from '../bureaus/bureau.ts';
import type { EnquiryOutcome } from './record.ts';

/** Selects enquiries of a vendor; absent conditions match everything. */
export interface EnquirySearch {
  readonly from?: Date | undefined;
  /** Exclusive. */
  readonly until?: Date | undefined;
  /** Keeps enquiries with one of these outcomes. */
  readonly outcomes?: readonly EnquiryOutcome[] | undefined;
  readonly requestReference?: string | undefined;
  /** The page after this enquiry, by its sequence. */
  readonly after?: bigint | undefined;
  readonly limit: number;
}

/** An enquiry without its sealed fields. */
export interface ListedEnquiry {
  readonly sequence: bigint;
  readonly enquiredAt: Date;
  readonly operation: CreditOperation;
  readonly requestReference: string;
  readonly reportReason: number;
  readonly outcome: EnquiryOutcome;
  readonly crn: string | null;
  /** The rule that decided about the match; null: nobody was found. */
  readonly matchRule: string | null;
  readonly score: string | null;
  readonly grade: string | null;
  /** The card that answered, as `id@version`. */
  readonly scorecard: string | null;
  readonly source: string;
  readonly consentReference: string | null;
  readonly durationMs: number;
  /** Names the key that signed the request, or the person who asked. */
  readonly keyId: string;
  /** Retention has erased request and answer. */
  readonly erased: boolean;
}

/** A page of a vendor's enquiries, newest first. */
export async function listEnquiries(
  db: Queryable,
  vendorId: number,
  search: EnquirySearch,
): Promise<ListedEnquiry[]> {
  const read = await db.query<ListedEnquiry>(
    `select sequence, enquired_at as "enquiredAt", operation,
      request_reference as "requestReference", report_reason as "reportReason", outcome, crn, match_rule as "matchRule", score,
       grade, scorecard, source, consent_reference as "consentReference", duration_ms as "durationMs", key_id as "keyId",
         sealed_payload is null as erased
     from enquiries
     where bucket = bucket_of($1) and vendor_id = $1
       and ($2::timestamptz is null or enquired_at >= $2)
       and ($3::timestamptz is null or enquired_at < $3)
       and ($4::text[] is null or outcome = any ($4))
       and ($5::text is null or request_reference = $5)
       and ($6::bigint is null or (enquired_at, sequence) <
         ((select enquired_at from enquiries where bucket = bucket_of($1) and vendor_id = $1 and sequence = $6), $6))
     order by enquired_at desc, sequence desc limit $7`,
    [
      vendorId,
      search.from ?? null,
      search.until ?? null,
      search.outcomes ?? null,
      search.requestReference ?? null,
      search.after ?? null,
      search.limit,
    ],
  );
  return read.rows;
}
