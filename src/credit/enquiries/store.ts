import { byteaArray } from '../../platform/db/arrays.ts';
import { inTransaction } from '../../platform/db/pool.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { ChallengerScore, CreditOperation } from '../bureaus/bureau.ts';
import { byBucket } from '../../parties/by-bucket-store.ts';
import { nameDiffers } from '../matching/match.ts';
import { addSubjectEnquiries } from '../registry/subject-enquiries-store.ts';
import { chainHash } from './record.ts';
import type { EnquiryOutcome, EnquiryRecord } from './record.ts';

/** An enquiry to be recorded. */
export interface NewEnquiry {
  readonly record: EnquiryRecord;
  readonly sealedPayload: Buffer;
  /** The subjects that the enquiry was answered about; it is recorded with each of them. */
  readonly crns: readonly bigint[];
  readonly askedBy: string;
  readonly sector: string;
  /** Scored alongside, and not answered; null: none. */
  readonly challenger: ChallengerScore | null;
}

/** An enquiry that was recorded earlier under the same reference, for the same operation. */
export interface KeptEnquiry {
  readonly vendorId: number;
  readonly enquiryId: string;
  readonly outcome: EnquiryOutcome;
  /** Null once retention has erased it. */
  readonly sealedPayload: Buffer | null;
}

interface KeptRow {
  vendorId: number;
  enquiryId: string;
  requestReference: string;
  operation: CreditOperation;
  outcome: EnquiryOutcome;
  sealedPayload: Buffer | null;
}

/** The final enquiry under a vendor's reference and operation, or else the first one of unknown outcome. */
export async function readKept(
  db: Queryable,
  asked: {
    readonly vendorId: number;
    readonly requestReference: string;
    readonly operation: CreditOperation;
  },
): Promise<KeptEnquiry | undefined> {
  const read = await db.query<KeptRow>({
    name: 'enquiry_kept',
    text: `select vendor_id as "vendorId", enquiry_id as "enquiryId",
      request_reference as "requestReference", operation, outcome, sealed_payload as "sealedPayload"
      from enquiries where bucket = bucket_of($1) and vendor_id = $1 and request_reference = $2 and operation = $3
      order by (outcome = 'unknown'), sequence limit 1`,
    values: [asked.vendorId, asked.requestReference, asked.operation],
  });
  const row = read.rows[0];
  return row === undefined ? undefined : keptOf(row);
}

function keptOf(row: KeptRow): KeptEnquiry {
  return {
    vendorId: row.vendorId,
    enquiryId: row.enquiryId,
    outcome: row.outcome,
    sealedPayload: row.sealedPayload,
  };
}

/**
 * Appends enquiries to their vendors' chains in one commit. Returns, in order, undefined for an
 * enquiry that was recorded, and the earlier enquiry if the reference was already used. A repeated
 * call finds the rows that the first one committed.
 */
export async function keepEnquiries(
  db: Queryable,
  items: readonly NewEnquiry[],
): Promise<(KeptEnquiry | undefined)[]> {
  const owned = items.map((item) => ({ vendorId: item.record.vendorId, item }));
  return await byBucket(
    db,
    owned,
    async (bucket, group) =>
      await inTransaction(
        db,
        async () =>
          await appendEnquiries(
            db,
            bucket,
            group.map(({ item }) => item),
          ),
      ),
  );
}

/** Appends enquiries within the caller's database transaction. */
export async function appendEnquiries(
  db: Queryable,
  bucket: number,
  items: readonly NewEnquiry[],
): Promise<(KeptEnquiry | undefined)[]> {
  const heads = await lockHeads(db, bucket, [
    ...new Set(items.map(({ record }) => record.vendorId)),
  ]);
  const earlierRows = await readEarlier(db, bucket, items);
  // A row with the same id is this very enquiry, committed by an attempt whose result was lost.
  const committed = new Set(earlierRows.map((row) => row.enquiryId));
  const kept = new Map(
    earlierRows
      .filter((row) => row.outcome !== 'unknown')
      .map((row) => [referenceKey(row.vendorId, row.operation, row.requestReference), keptOf(row)]),
  );
  const rows: NewRow[] = [];
  const added: NewEnquiry[] = [];
  const results = items.map((item) => {
    const { record } = item;
    const key = referenceKey(record.vendorId, record.operation, record.requestReference);
    if (committed.has(record.enquiryId)) return undefined;
    const earlier = kept.get(key);
    if (earlier !== undefined) return earlier;
    const head = heads.get(record.vendorId) ?? { sequence: 0n, hash: Buffer.alloc(0) };
    const sequence = head.sequence + 1n;
    const hash = chainHash(head.hash, sequence, record);
    heads.set(record.vendorId, { sequence, hash });
    rows.push({ ...record, sequence, hash, sealedPayload: item.sealedPayload });
    added.push(item);
    if (record.outcome !== 'unknown') kept.set(key, keptOfNew(item));
    return undefined;
  });
  if (rows.length > 0) {
    await db.query({
      name: 'enquiry_keep',
      text: INSERT,
      values: [
        bucket,
        ...COLUMNS.map(([, , valueOf]) => rows.map(valueOf)),
        ...BYTES.map(([, bytesOf]) => byteaArray(rows.map(bytesOf))),
      ],
    });
    await noteBesideSubjects(db, added);
    await moveHeads(db, bucket, heads);
  }
  return results;
}

interface Head {
  readonly sequence: bigint;
  readonly hash: Buffer;
}

/** Locks the heads of chains until the end of the database transaction; creates missing ones. */
export async function lockHeads(
  db: Queryable,
  bucket: number,
  vendorIds: readonly number[],
): Promise<Map<number, Head>> {
  await db.query(
    `insert into enquiry_chains (bucket, vendor_id, sequence, hash)
     select k.bucket, v.vendor_id, 0, '' from buckets k cross join unnest($2::integer[]) v (vendor_id)
     where k.bucket = $1 order by v.vendor_id
     on conflict do nothing`,
    [bucket, vendorIds],
  );
  const read = await db.query<{ vendorId: number; sequence: bigint; hash: Buffer }>(
    `select vendor_id as "vendorId", sequence, hash from enquiry_chains
     where bucket = $1 and vendor_id = any($2::integer[]) order by vendor_id for update`,
    [bucket, vendorIds],
  );
  return new Map(read.rows.map(({ vendorId: id, sequence, hash }) => [id, { sequence, hash }]));
}

async function moveHeads(
  db: Queryable,
  bucket: number,
  heads: ReadonlyMap<number, Head>,
): Promise<void> {
  const moved = [...heads];
  await db.query(
    `update enquiry_chains c set sequence = h.sequence, hash = h.hash
     from (
       select * from unnest($2::integer[], $3::bigint[], $4::bytea[]) u (vendor_id, sequence, hash)
       limit cardinality($2)
     ) h
     where c.bucket = $1 and c.vendor_id = h.vendor_id`,
    [
      bucket,
      moved.map(([vendorId]) => vendorId),
      moved.map(([, { sequence }]) => sequence),
      moved.map(([, { hash }]) => hash),
    ],
  );
}

async function readEarlier(
  db: Queryable,
  bucket: number,
  items: readonly NewEnquiry[],
): Promise<KeptRow[]> {
  const read = await db.query<KeptRow>(
    `select e.vendor_id as "vendorId", e.enquiry_id as "enquiryId",
      e.request_reference as "requestReference", e.operation, e.outcome,
      e.sealed_payload as "sealedPayload"
     from (
       select * from unnest($2::integer[], $3::text[], $4::text[])
         u (vendor_id, request_reference, operation)
       limit cardinality($2)
     ) r
     join enquiries e using (vendor_id, request_reference, operation)
     where e.bucket = $1`,
    [
      bucket,
      items.map(({ record }) => record.vendorId),
      items.map(({ record }) => record.requestReference),
      items.map(({ record }) => record.operation),
    ],
  );
  return read.rows;
}

function referenceKey(
  vendorId: number,
  operation: CreditOperation,
  requestReference: string,
): string {
  return `${vendorId} ${operation} ${requestReference}`;
}

function keptOfNew({ record, sealedPayload }: NewEnquiry): KeptEnquiry {
  const { vendorId, enquiryId, outcome } = record;
  return { vendorId, enquiryId, outcome, sealedPayload };
}

interface NewRow extends EnquiryRecord {
  readonly sequence: bigint;
  readonly hash: Buffer;
  readonly sealedPayload: Buffer;
}

/** Columns of a new enquiry: name, type, value. */
const COLUMNS: readonly (readonly [string, string, (row: NewRow) => unknown])[] = [
  ['vendor_id', 'integer', (row) => row.vendorId],
  ['sequence', 'bigint', (row) => row.sequence],
  ['enquiry_id', 'uuid', (row) => row.enquiryId],
  ['enquired_at', 'timestamptz', (row) => row.enquiredAt],
  ['operation', 'text', (row) => row.operation],
  ['request_reference', 'text', (row) => row.requestReference],
  ['report_reason', 'integer', (row) => row.reportReason],
  ['report_sector', 'integer', (row) => row.reportSector],
  ['consent_reference', 'text', (row) => row.consentReference],
  ['consent_date', 'text', (row) => row.consentDate],
  ['key_id', 'text', (row) => row.keyId],
  ['documents', 'text', (row) => row.documents],
  ['outcome', 'text', (row) => row.outcome],
  ['crn', 'text', (row) => row.crn],
  ['match_rule', 'text', (row) => row.matchRule],
  ['match_score', 'text', (row) => row.matchScore],
  ['scorecard', 'text', (row) => row.scorecard],
  ['score', 'text', (row) => row.score],
  ['grade', 'text', (row) => row.grade],
  ['probability', 'text', (row) => row.probability],
  ['source', 'text', (row) => row.source],
  ['upstream_id', 'text', (row) => row.upstreamId],
  ['data_as_of', 'text', (row) => row.dataAsOf],
  ['duration_ms', 'integer', (row) => row.durationMs],
];

/** Columns of bytes, which are sent as such. */
const BYTES: readonly (readonly [string, (row: NewRow) => Buffer])[] = [
  ['sealed_payload', (row) => row.sealedPayload],
  ['payload_hash', (row) => row.payloadHash],
  ['hash', (row) => row.hash],
];

const NAMES = [...COLUMNS, ...BYTES].map(([name]) => name).join(', ');
const TYPES = [...COLUMNS.map(([, type]) => type), ...BYTES.map(() => 'bytea')];

const INSERT = `insert into enquiries (bucket, ${NAMES})
  select k.bucket, n.* from buckets k
    cross join unnest(${TYPES.map((type, at) => `$${at + 2}::${type}[]`).join(', ')}) n (${NAMES})
  where k.bucket = $1`;

async function noteBesideSubjects(db: Queryable, items: readonly NewEnquiry[]): Promise<void> {
  const notes = items.flatMap((item) => item.crns.map((crn) => ({ crn, item })));
  if (notes.length === 0) return;
  await addSubjectEnquiries(
    db,
    notes.map(({ crn, item: { record, askedBy, sector, challenger } }) => ({
      crn,
      enquiredAt: record.enquiredAt,
      enquiryId: record.enquiryId,
      vendorId: record.vendorId,
      askedBy,
      sector,
      operation: record.operation,
      reportReason: record.reportReason,
      nameDiffers: nameDiffers(record.matchRule),
      scorecard: record.scorecard,
      score: record.score === null || record.score === '' ? null : Number(record.score),
      challenger: challenger?.scorecard ?? null,
      challengerScore: challenger?.score ?? null,
    })),
  );
}
