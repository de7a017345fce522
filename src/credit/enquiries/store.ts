import { inTransaction } from '../../platform/db/pool.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { CreditOperation } from '../bureaus/bureau.ts';
import { addSubjectEnquiries } from '../registry/subject-enquiries-store.ts';
import { chainHash } from './record.ts';
import type { EnquiryOutcome, EnquiryRecord } from './record.ts';

/** An enquiry to be kept. */
export interface NewEnquiry {
  readonly record: EnquiryRecord;
  readonly sealedPayload: Buffer;
  /** Subjects the enquiry was answered about: it is noted beside them. */
  readonly crns: readonly bigint[];
  readonly askedBy: string;
  readonly sector: string;
}

/** An enquiry that was kept before under the same reference, for the same operation. */
export interface KeptEnquiry {
  readonly vendorId: number;
  readonly enquiryId: string;
  readonly outcome: EnquiryOutcome;
  /** Null once retention has erased it. */
  readonly sealedPayload: Buffer | null;
}

interface KeptRow {
  vendor_id: number;
  enquiry_id: string;
  request_reference: string;
  operation: CreditOperation;
  outcome: EnquiryOutcome;
  sealed_payload: Buffer | null;
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
    text: `select vendor_id, enquiry_id, request_reference, operation, outcome, sealed_payload
      from enquiries where vendor_id = $1 and request_reference = $2 and operation = $3
      order by (outcome = 'unknown'), sequence limit 1`,
    values: [asked.vendorId, asked.requestReference, asked.operation],
  });
  const row = read.rows[0];
  return row === undefined ? undefined : keptOf(row);
}

function keptOf(row: KeptRow): KeptEnquiry {
  return {
    vendorId: row.vendor_id,
    enquiryId: row.enquiry_id,
    outcome: row.outcome,
    sealedPayload: row.sealed_payload,
  };
}

/**
 * Appends enquiries to their vendors' chains in one commit. Gives, in order, undefined for an
 * enquiry that was kept and the earlier one where the reference was used before. A repeated call
 * finds what the first one committed.
 */
export async function keepEnquiries(
  db: Queryable,
  items: readonly NewEnquiry[],
): Promise<(KeptEnquiry | undefined)[]> {
  return await inTransaction(db, async () => await appendAll(db, items));
}

async function appendAll(
  db: Queryable,
  items: readonly NewEnquiry[],
): Promise<(KeptEnquiry | undefined)[]> {
  const heads = await lockHeads(db, [...new Set(items.map(({ record }) => record.vendorId))]);
  const earlierRows = await readEarlier(db, items);
  // One with the same id is this very enquiry, committed by an attempt whose answer was lost.
  const committed = new Set(earlierRows.map((row) => row.enquiry_id));
  const kept = new Map(
    earlierRows
      .filter((row) => row.outcome !== 'unknown')
      .map((row) => [
        referenceKey(row.vendor_id, row.operation, row.request_reference),
        keptOf(row),
      ]),
  );
  const rows: Record<string, unknown>[] = [];
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
    rows.push(rowOf(item, sequence, hash));
    added.push(item);
    if (record.outcome !== 'unknown') kept.set(key, keptOfNew(item));
    return undefined;
  });
  if (rows.length > 0) {
    await db.query(
      'insert into enquiries select * from json_populate_recordset(null::enquiries, $1::json)',
      [JSON.stringify(rows)],
    );
    await noteBesideSubjects(db, added);
    await moveHeads(db, heads);
  }
  return results;
}

interface Head {
  readonly sequence: bigint;
  readonly hash: Buffer;
}

async function lockHeads(db: Queryable, vendorIds: readonly number[]): Promise<Map<number, Head>> {
  await db.query(
    `insert into enquiry_chains (vendor_id, sequence, hash)
     select vendor_id, 0, '' from unnest($1::integer[]) v (vendor_id) order by vendor_id
     on conflict do nothing`,
    [vendorIds],
  );
  const read = await db.query<{ vendor_id: number; sequence: bigint; hash: Buffer }>(
    `select vendor_id, sequence, hash from enquiry_chains
     where vendor_id = any($1::integer[]) order by vendor_id for update`,
    [vendorIds],
  );
  return new Map(read.rows.map(({ vendor_id: id, sequence, hash }) => [id, { sequence, hash }]));
}

async function moveHeads(db: Queryable, heads: ReadonlyMap<number, Head>): Promise<void> {
  const moved = [...heads];
  await db.query(
    `update enquiry_chains c set sequence = h.sequence, hash = h.hash
     from unnest($1::integer[], $2::bigint[], $3::bytea[]) h (vendor_id, sequence, hash)
     where c.vendor_id = h.vendor_id`,
    [
      moved.map(([vendorId]) => vendorId),
      moved.map(([, { sequence }]) => sequence),
      moved.map(([, { hash }]) => hash),
    ],
  );
}

async function readEarlier(db: Queryable, items: readonly NewEnquiry[]): Promise<KeptRow[]> {
  const read = await db.query<KeptRow>(
    `select e.vendor_id, e.enquiry_id, e.request_reference, e.operation, e.outcome, e.sealed_payload
     from unnest($1::integer[], $2::text[], $3::text[]) r (vendor_id, request_reference, operation)
     join enquiries e using (vendor_id, request_reference, operation)`,
    [
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

function rowOf(item: NewEnquiry, sequence: bigint, hash: Buffer): Record<string, unknown> {
  const { record } = item;
  return {
    vendor_id: record.vendorId,
    sequence: String(sequence),
    enquiry_id: record.enquiryId,
    enquired_at: record.enquiredAt.toISOString(),
    operation: record.operation,
    request_reference: record.requestReference,
    report_reason: record.reportReason,
    report_sector: record.reportSector,
    consent_reference: record.consentReference,
    consent_date: record.consentDate,
    key_id: record.keyId,
    documents: record.documents,
    outcome: record.outcome,
    crn: record.crn,
    match_rule: record.matchRule,
    match_score: record.matchScore,
    scorecard: record.scorecard,
    score: record.score,
    grade: record.grade,
    probability: record.probability,
    source: record.source,
    upstream_id: record.upstreamId,
    data_as_of: record.dataAsOf,
    duration_ms: record.durationMs,
    sealed_payload: bytea(item.sealedPayload),
    payload_hash: bytea(record.payloadHash),
    hash: bytea(hash),
  };
}

function bytea(bytes: Buffer): string {
  return `\\x${bytes.toString('hex')}`;
}

async function noteBesideSubjects(db: Queryable, items: readonly NewEnquiry[]): Promise<void> {
  const notes = items.flatMap((item) => item.crns.map((crn) => ({ crn, item })));
  if (notes.length === 0) return;
  await addSubjectEnquiries(
    db,
    notes.map(({ crn, item: { record, askedBy, sector } }) => ({
      crn,
      enquiredAt: record.enquiredAt,
      enquiryId: record.enquiryId,
      vendorId: record.vendorId,
      askedBy,
      sector,
      operation: record.operation,
      reportReason: record.reportReason,
    })),
  );
}
