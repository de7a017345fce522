import type { Queryable } from '../../platform/db/pool.ts';
import type { Sector } from '../../parties/vendor.ts';
import type { PastEnquiry } from '../facts.ts';
import { MEMBERS_OF_FIRST_PARAMETER } from './read-merges.ts';

/** Who asked about a subject, when and why. */
export interface SubjectEnquiry {
  readonly crn: bigint;
  readonly enquiredAt: Date;
  readonly enquiryId: string;
  /** 0 if it was made before this registry began. */
  readonly vendorId: number;
  readonly askedBy: string;
  readonly sector: string;
  readonly operation: string;
  readonly reportReason: number;
  /** The vendor asked about another name than the one on file. */
  readonly nameDiffers: boolean;
}

/** The card that answered an enquiry, and the challenger that was scored alongside. */
export interface EnquiryScores {
  readonly scorecard: string | null;
  readonly score: number | null;
  readonly challenger: string | null;
  readonly challengerScore: number | null;
}

/** Records enquiries with the subjects that they were answered about. */
export async function addSubjectEnquiries(
  db: Queryable,
  notes: readonly (SubjectEnquiry & Partial<EnquiryScores>)[],
): Promise<void> {
  await db.query(
    `insert into subject_enquiries
       (crn, enquired_at, enquiry_id, vendor_id, asked_by, sector, operation, report_reason,
        scorecard, score, challenger, challenger_score, name_differs)
     select * from unnest($1::bigint[], $2::timestamptz[], $3::uuid[], $4::integer[], $5::text[],
       $6::text[], $7::text[], $8::integer[], $9::text[], $10::integer[], $11::text[],
       $12::integer[], $13::boolean[])`,
    [
      notes.map(({ crn }) => crn),
      notes.map(({ enquiredAt }) => enquiredAt),
      notes.map(({ enquiryId }) => enquiryId),
      notes.map(({ vendorId }) => vendorId),
      notes.map(({ askedBy }) => askedBy),
      notes.map(({ sector }) => sector),
      notes.map(({ operation }) => operation),
      notes.map(({ reportReason }) => reportReason),
      notes.map(({ scorecard }) => scorecard ?? null),
      notes.map(({ score }) => score ?? null),
      notes.map(({ challenger }) => challenger ?? null),
      notes.map(({ challengerScore }) => challengerScore ?? null),
      notes.map(({ nameDiffers }) => nameDiffers),
    ],
  );
}

/** Everybody who asked about a subject, newest first. */
export async function listSubjectEnquiries(db: Queryable, crn: bigint): Promise<SubjectEnquiry[]> {
  const read = await db.query<Omit<SubjectEnquiry, 'crn'>>(
    `select enquired_at as "enquiredAt", enquiry_id as "enquiryId",
      vendor_id as "vendorId", asked_by as "askedBy", sector, operation,
      report_reason as "reportReason", name_differs as "nameDiffers"
     from subject_enquiries where crn = ${MEMBERS_OF_FIRST_PARAMETER}
     order by enquired_at desc, enquiry_id limit 10000`,
    [crn],
  );
  return read.rows.map((row) => ({ crn, ...row }));
}

/** Selects the enquiries about a subject that are part of its file. */
export interface EnquiryWindow {
  readonly crn: bigint;
  /** States and enquiries before this instant are past retention. */
  readonly keptFrom: Date;
  /** The instant that the file is read for: earlier enquiries are included. */
  readonly enquiriesUntil: Date;
  /**
   * The vendor that asks, or null. Its own enquiries from this instant on belong to the application
   * that it is asking about now.
   */
  readonly ownVendorId: number | null;
  readonly ownEnquiriesFrom: Date;
}

/** Past enquiries about a subject, oldest first. */
export async function readPastEnquiries(
  db: Queryable,
  options: EnquiryWindow,
): Promise<PastEnquiry[]> {
  const read = await db.query<PastEnquiryRow>({
    name: 'credit_file_enquiries',
    text: `select e.enquired_at as "enquiredAt", e.report_reason as "reportReason", e.sector,
      e.vendor_id as "vendorId" from subject_enquiries e
      where e.crn = ${MEMBERS_OF_FIRST_PARAMETER} and e.enquired_at < $2 and e.enquired_at >= $3
        and not ($4::integer is not null and e.vendor_id = $4 and e.enquired_at >= $5)
      order by e.enquired_at, e.enquiry_id`,
    values: [
      options.crn,
      options.enquiriesUntil,
      options.keptFrom,
      options.ownVendorId,
      options.ownEnquiriesFrom,
    ],
  });
  return read.rows.map(pastEnquiryOf);
}

export interface PastEnquiryRow {
  readonly enquiredAt: Date;
  readonly reportReason: number;
  readonly sector: Sector;
  readonly vendorId: number;
}

export function pastEnquiryOf(row: PastEnquiryRow): PastEnquiry {
  return {
    at: row.enquiredAt,
    reason: row.reportReason,
    sector: row.sector,
    // 0 stands for enquiries made before this registry existed.
    ...(row.vendorId === 0 ? {} : { by: String(row.vendorId) }),
  };
}
