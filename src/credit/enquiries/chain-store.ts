import { createHash } from 'node:crypto';
import type { Queryable } from '../../db/pool.ts';
import type { CreditOperation } from '../bureaus/bureau.ts';
import type { Vault } from '../registry/vault.ts';
import { chainHash, payloadPlace } from './record.ts';
import type { EnquiryOutcome, EnquiryRecord } from './record.ts';

const PAGE_ROWS = 1_000;

export interface ChainViolation {
  readonly vendorId: number;
  readonly sequence: bigint;
  readonly what: string;
}

export interface ChainReport {
  readonly vendors: number;
  readonly enquiries: number;
  /** Payloads that retention has erased; their hashes are still part of the chain. */
  readonly erased: number;
  readonly violations: readonly ChainViolation[];
  /** Newest hash of each vendor, hexadecimal: to be kept elsewhere, so that a cut end is seen. */
  readonly heads: readonly { vendorId: number; sequence: bigint; hash: string }[];
}

/**
 * Reads every enquiry of every vendor in order and proves the chain: no gap, each hash over the one
 * before it and the row, the head where the last row is, each payload the one that was hashed, each
 * disclosure noted beside its subject, and nothing noted that was not asked.
 */
export async function verifyChains(
  db: Queryable,
  vault: Vault,
  onProgress?: (enquiries: number) => void,
): Promise<ChainReport> {
  const read = await db.query<{ vendor_id: number; sequence: bigint; hash: Buffer }>(
    'select vendor_id, sequence, hash from enquiry_chains order by vendor_id',
  );
  const violations: ChainViolation[] = [];
  let enquiries = 0;
  let erased = 0;
  for (const head of read.rows) {
    const vendorId = head.vendor_id;
    let previous: Buffer = Buffer.alloc(0);
    let expected = 1n;
    for (;;) {
      const rows = await readPage(db, vendorId, expected - 1n, head.sequence);
      const noted = await readNoted(db, rows);
      for (const row of rows) {
        if (row.sequence !== expected) {
          violations.push({ vendorId, sequence: expected, what: 'an enquiry is missing' });
        }
        for (const what of faultsOf(row, previous, vault)) {
          violations.push({ vendorId, sequence: row.sequence, what });
        }
        if (isDisclosure(row) && !noted.has(row.enquiry_id)) {
          const what = 'it is not noted beside the subject as it was made';
          violations.push({ vendorId, sequence: row.sequence, what });
        }
        if (row.sealed_payload === null) erased += 1;
        previous = row.hash;
        expected = row.sequence + 1n;
      }
      enquiries += rows.length;
      onProgress?.(enquiries);
      if (rows.length < PAGE_ROWS) break;
    }
    if (expected - 1n !== head.sequence || !previous.equals(head.hash)) {
      violations.push({
        vendorId,
        sequence: head.sequence,
        what: 'the end of the chain is missing',
      });
    }
    for (const crn of await readForgedNotes(db, vendorId)) {
      const what = `beside subject ${crn} an enquiry is noted that was not made`;
      violations.push({ vendorId, sequence: 0n, what });
    }
  }
  return {
    vendors: read.rows.length,
    enquiries,
    erased,
    violations,
    heads: read.rows.map((row) => ({
      vendorId: row.vendor_id,
      sequence: row.sequence,
      hash: row.hash.toString('hex'),
    })),
  };
}

interface Row {
  vendor_id: number;
  sequence: bigint;
  enquiry_id: string;
  enquired_at: Date;
  operation: CreditOperation;
  request_reference: string;
  report_reason: number;
  report_sector: number | null;
  consent_reference: string | null;
  consent_date: string | null;
  key_id: string;
  documents: string;
  outcome: EnquiryOutcome;
  crn: string | null;
  match_rule: string | null;
  match_score: string | null;
  scorecard: string | null;
  score: string | null;
  grade: string | null;
  probability: string | null;
  source: string;
  upstream_id: string | null;
  data_as_of: string | null;
  duration_ms: number;
  sealed_payload: Buffer | null;
  payload_hash: Buffer;
  hash: Buffer;
}

async function readPage(
  db: Queryable,
  vendorId: number,
  after: bigint,
  until: bigint,
): Promise<Row[]> {
  const read = await db.query<Row>(
    `select * from enquiries where vendor_id = $1 and sequence > $2 and sequence <= $3
     order by sequence limit ${PAGE_ROWS}`,
    [vendorId, after, until],
  );
  return read.rows;
}

/** The subject was told about from the registry, which is noted beside it. */
function isDisclosure(row: Row): boolean {
  return row.outcome === 'answered' && row.source === 'registry';
}

/** Those of the enquiries that are noted beside their subject, with the same who, what, when and why. */
async function readNoted(db: Queryable, rows: readonly Row[]): Promise<ReadonlySet<string>> {
  const told = rows.filter((row) => isDisclosure(row) && /^\d{1,18}$/.test(row.crn ?? ''));
  const read = await db.query<{ enquiry_id: string }>(
    `select e.enquiry_id
     from unnest($1::bigint[], $2::timestamptz[], $3::uuid[], $4::integer[], $5::text[], $6::integer[])
       e (crn, enquired_at, enquiry_id, vendor_id, operation, report_reason)
     join subject_enquiries using (crn, enquired_at, enquiry_id, vendor_id, operation, report_reason)`,
    [
      told.map((row) => row.crn),
      told.map((row) => row.enquired_at),
      told.map((row) => row.enquiry_id),
      told.map((row) => row.vendor_id),
      told.map((row) => row.operation),
      told.map((row) => row.report_reason),
    ],
  );
  return new Set(read.rows.map((row) => row.enquiry_id));
}

/** Subjects beside which an enquiry of the vendor is noted that is in no chain. */
async function readForgedNotes(db: Queryable, vendorId: number): Promise<bigint[]> {
  const read = await db.query<{ crn: bigint }>(
    `select n.crn from subject_enquiries n
     where n.vendor_id = $1 and not exists (
       select from enquiries e where e.vendor_id = $1 and e.enquiry_id = n.enquiry_id)
     order by n.crn limit ${PAGE_ROWS}`,
    [vendorId],
  );
  return read.rows.map(({ crn }) => crn);
}

function faultsOf(row: Row, previous: Buffer, vault: Vault): string[] {
  const faults: string[] = [];
  if (!chainHash(previous, row.sequence, recordOf(row)).equals(row.hash)) {
    faults.push('the enquiry was altered, or is not the one that followed');
  }
  if (row.sealed_payload !== null && !isPayload(row, row.sealed_payload, vault)) {
    faults.push('the payload was altered, or cannot be opened');
  }
  return faults;
}

function isPayload(row: Row, sealed: Buffer, vault: Vault): boolean {
  try {
    const text = vault.unseal(sealed, payloadPlace(row.vendor_id, row.enquiry_id));
    return createHash('sha256').update(text, 'utf8').digest().equals(row.payload_hash);
  } catch {
    return false;
  }
}

function recordOf(row: Row): EnquiryRecord {
  return {
    vendorId: row.vendor_id,
    enquiryId: row.enquiry_id,
    enquiredAt: row.enquired_at,
    operation: row.operation,
    requestReference: row.request_reference,
    reportReason: row.report_reason,
    reportSector: row.report_sector,
    consentReference: row.consent_reference,
    consentDate: row.consent_date,
    keyId: row.key_id,
    documents: row.documents,
    outcome: row.outcome,
    crn: row.crn,
    matchRule: row.match_rule,
    matchScore: row.match_score,
    scorecard: row.scorecard,
    score: row.score,
    grade: row.grade,
    probability: row.probability,
    source: row.source,
    upstreamId: row.upstream_id,
    dataAsOf: row.data_as_of,
    durationMs: row.duration_ms,
    payloadHash: row.payload_hash,
  };
}
