import type { Queryable } from '../../platform/db/pool.ts';
import type { CreditOperation } from '../bureaus/bureau.ts';
import type { Vault } from '../registry/vault.ts';
import { payloadLocation } from './record.ts';
import type { EnquiryPayload } from './record.ts';

/** An answered enquiry, for letters about it. */
export interface AnsweredEnquiry {
  readonly enquiryId: string;
  readonly enquiredAt: Date;
  readonly reportReason: number;
  readonly consentReference: string | null;
  readonly consentDate: string | null;
  /** The parameters and the body of the answer; null once retention has erased them. */
  readonly payload: EnquiryPayload | null;
}

/** A vendor's answered enquiry; undefined if there is none under the reference. */
export async function readAnswered(
  db: Queryable,
  vault: Vault,
  asked: {
    readonly vendorId: number;
    readonly requestReference: string;
    readonly operation: CreditOperation;
  },
): Promise<AnsweredEnquiry | undefined> {
  const read = await db.query<
    Omit<AnsweredEnquiry, 'payload'> & { readonly sealedPayload: Buffer | null }
  >(
    `select enquiry_id as "enquiryId", enquired_at as "enquiredAt",
       report_reason as "reportReason", consent_reference as "consentReference",
       consent_date as "consentDate", sealed_payload as "sealedPayload"
     from enquiries
     where vendor_id = $1 and request_reference = $2 and operation = $3 and outcome = 'answered'`,
    [asked.vendorId, asked.requestReference, asked.operation],
  );
  const [row] = read.rows;
  if (row === undefined) return undefined;
  const { sealedPayload, ...enquiry } = row;
  const location = payloadLocation(asked.vendorId, row.enquiryId);
  return {
    ...enquiry,
    payload:
      sealedPayload === null
        ? null
        : (JSON.parse(vault.unseal(sealedPayload, location)) as EnquiryPayload),
  };
}
