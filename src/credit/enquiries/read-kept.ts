import type { Queryable } from '../../platform/db/pool.ts';
import type { CreditOperation } from '../bureaus/bureau.ts';
import type { Vault } from '../registry/vault.ts';
import { payloadLocation } from './record.ts';
import type { EnquiryPayload } from './record.ts';
import type { KeptEnquiry } from './store.ts';

/** An answered enquiry, for letters about it. */
export interface AnsweredEnquiry {
  readonly enquiryId: string;
  readonly enquiredAt: Date;
  readonly reportReason: number;
  readonly consentReference: string | null;
  readonly consentDate: string | null;
  /** Names the key that signed the request, or the person who asked. */
  readonly keyId: string;
  readonly scorecard: string | null;
  readonly source: string;
  /** The parameters and the body of the answer; null once retention has erased them. */
  readonly payload: EnquiryPayload | null;
}

/** A vendor's answered enquiry; undefined if the reference is unknown. */
export async function readAnswered(
  db: Queryable,
  vault: Vault,
  asked: {
    readonly vendorId: number;
    readonly requestReference: string;
    readonly operation: CreditOperation;
  },
): Promise<AnsweredEnquiry | undefined> {
  const read = await db.query<Omit<AnsweredEnquiry, 'payload'> & { sealedPayload: Buffer | null }>(
    `select enquiry_id as "enquiryId", enquired_at as "enquiredAt",
       report_reason as "reportReason", consent_reference as "consentReference",
       consent_date as "consentDate", key_id as "keyId", scorecard, source, sealed_payload as "sealedPayload"
     from enquiries
     where bucket = bucket_of($1) and vendor_id = $1 and request_reference = $2 and operation = $3 and outcome = 'answered'`,
    [asked.vendorId, asked.requestReference, asked.operation],
  );
  const [row] = read.rows;
  if (row === undefined) return undefined;
  const { sealedPayload, ...enquiry } = row;
  return { ...enquiry, payload: payloadOf(vault, { ...asked, ...enquiry, sealedPayload }) };
}

/** The parameters and the answer of an enquiry; null once retention has erased them. */
export function payloadOf(
  vault: Vault,
  { vendorId, enquiryId, sealedPayload }: Omit<KeptEnquiry, 'outcome'>,
): EnquiryPayload | null {
  if (sealedPayload === null) return null;
  return JSON.parse(
    vault.unseal(sealedPayload, payloadLocation(vendorId, enquiryId)),
  ) as EnquiryPayload;
}

/** A recorded enquiry, found by its reference. */
export interface ReferencedEnquiry extends KeptEnquiry {
  readonly requestReference: string;
  /** As `id@version`; null: no card of ours answered. */
  readonly scorecard: string | null;
}

/** A vendor's final enquiries under any of the references, for one operation. */
export async function readKeptOfEach(
  db: Queryable,
  asked: {
    readonly vendorId: number;
    readonly operation: CreditOperation;
    readonly requestReferences: readonly string[];
  },
): Promise<ReferencedEnquiry[]> {
  const read = await db.query<ReferencedEnquiry>({
    name: 'enquiries_kept',
    text: `select vendor_id as "vendorId", enquiry_id as "enquiryId",
        request_reference as "requestReference", outcome, scorecard,
        sealed_payload as "sealedPayload"
      from enquiries where bucket = bucket_of($1) and vendor_id = $1 and operation = $2
        and request_reference = any($3::text[]) and outcome <> 'unknown'`,
    values: [asked.vendorId, asked.operation, asked.requestReferences],
  });
  return read.rows;
}
