import { nameDiffers } from '../matching/match.ts';
import { createHash } from 'node:crypto';
import { snapshot } from '../../platform/db/pool.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import type { Vault } from '../registry/vault.ts';
import { chainHash, payloadLocation } from './record.ts';
import type { EnquiryRecord } from './record.ts';

const PAGE_ROWS = 1_000;

export interface ChainViolation {
  readonly vendorId: number;
  readonly sequence: bigint;
  readonly what: string;
}

export interface ChainReport {
  readonly vendors: number;
  readonly enquiries: number;
  /** Payloads erased by retention; their hashes are still part of the chain. */
  readonly erased: number;
  readonly violations: readonly ChainViolation[];
  /**
   * The newest hash of each vendor, hexadecimal. Store it elsewhere, to detect a truncated chain.
   */
  readonly heads: readonly EnquiryHead[];
  /** The stored heads that are in a chain, and the enquiry of each. */
  readonly keptHeads: readonly EnquiryHead[];
  /** The stored heads that are in no chain. */
  readonly missingHeads: readonly string[];
}

export interface EnquiryHead {
  readonly vendorId: number;
  readonly sequence: bigint;
  /** Hexadecimal. */
  readonly hash: string;
}

/**
 * Reads every enquiry of every vendor in order and verifies the chain: no gaps; each hash covers
 * the previous hash and the row; the head is the last row's; each payload is the one that was
 * hashed; each disclosure is recorded with its subject, and nothing else is. Over one snapshot,
 * alongside running enquiries.
 * @param options.heads hashes of earlier heads that were stored elsewhere, hexadecimal.
 */
export async function verifyChains(
  pool: Pool,
  vault: Vault,
  options: VerifyOptions = {},
): Promise<ChainReport> {
  return await snapshot(pool, async (client) => {
    await client.query('set local statement_timeout = 0');
    return await verifyAll(client, vault, options);
  });
}

interface VerifyOptions {
  readonly heads?: readonly string[] | undefined;
  readonly onProgress?: (enquiries: number) => void;
}

async function verifyAll(
  db: Queryable,
  vault: Vault,
  options: VerifyOptions,
): Promise<ChainReport> {
  const wanted = new Set(options.heads);
  const kept: EnquiryHead[] = [];
  const violations: ChainViolation[] = [];
  const heads: EnquiryHead[] = [];
  let enquiries = 0;
  let erased = 0;
  for (const vendor of await readVendors(db)) {
    const { vendorId } = vendor;
    const report = (sequence: bigint, what: string): void =>
      void violations.push({ vendorId, sequence, what });
    let previous: Buffer = Buffer.alloc(0);
    let last = 0n;
    for await (const { row, noted } of readEnquiries(db, vendorId)) {
      if (row.sequence !== last + 1n) report(last + 1n, 'an enquiry is missing');
      for (const what of faultsOf(row, previous, vault)) report(row.sequence, what);
      if (isDisclosure(row) && !noted) {
        report(row.sequence, 'its record with the subject is missing or different');
      }
      const hash = row.hash.toString('hex');
      if (wanted.delete(hash)) kept.push({ vendorId, sequence: row.sequence, hash });
      if (row.sealedPayload === null) erased += 1;
      previous = row.hash;
      last = row.sequence;
      enquiries += 1;
      if (enquiries % PAGE_ROWS === 0) options.onProgress?.(enquiries);
    }
    if (vendor.head === null) {
      report(last, 'the head of the chain is missing');
    } else if (last !== vendor.head.sequence || !previous.equals(vendor.head.hash)) {
      report(vendor.head.sequence, 'the end of the chain is missing');
    }
    heads.push({ vendorId, sequence: last, hash: previous.toString('hex') });
    for (const crn of await readForgedNotes(db, vendorId)) {
      report(0n, `with subject ${crn} an enquiry is recorded that was not made`);
    }
  }
  return {
    vendors: heads.length,
    enquiries,
    erased,
    violations,
    heads,
    keptHeads: kept,
    missingHeads: [...wanted],
  };
}

interface Vendor {
  readonly vendorId: number;
  /** Null if it is missing although the vendor has enquiries, or subjects have records of them. */
  readonly head: { readonly sequence: bigint; readonly hash: Buffer } | null;
}

/** Every vendor that has a head, an enquiry, or a record of one. */
async function readVendors(db: Queryable): Promise<Vendor[]> {
  const read = await db.query<{ vendorId: number; sequence: bigint | null; hash: Buffer | null }>(
    `select vendor_id as "vendorId", c.sequence, c.hash
     from (
       select vendor_id from enquiry_chains
       union select vendor_id from enquiries
       union select vendor_id from subject_enquiries where vendor_id <> 0
     ) v left join enquiry_chains c using (vendor_id)
     order by vendor_id`,
  );
  return read.rows.map(({ vendorId, sequence, hash }) => ({
    vendorId,
    head: sequence === null || hash === null ? null : { sequence, hash },
  }));
}

/** The vendor's enquiries in order, and whether each is recorded with its subject. */
async function* readEnquiries(
  db: Queryable,
  vendorId: number,
): AsyncGenerator<{ readonly row: Row; readonly noted: boolean }> {
  for (let after = 0n; ;) {
    const rows = await readPage(db, vendorId, after);
    const noted = await readNoted(db, rows);
    for (const row of rows) yield { row, noted: noted.has(row.enquiryId) };
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_ROWS) return;
    after = last.sequence;
  }
}

interface Row extends EnquiryRecord {
  readonly sequence: bigint;
  readonly sealedPayload: Buffer | null;
  readonly hash: Buffer;
}

async function readPage(db: Queryable, vendorId: number, after: bigint): Promise<Row[]> {
  const read = await db.query<Row>(
    `select vendor_id as "vendorId", sequence, enquiry_id as "enquiryId",
       enquired_at as "enquiredAt", operation, request_reference as "requestReference",
       report_reason as "reportReason", report_sector as "reportSector",
       consent_reference as "consentReference", consent_date as "consentDate",
       key_id as "keyId", documents, outcome, crn, match_rule as "matchRule",
       match_score as "matchScore", scorecard, score, grade, probability, source,
       upstream_id as "upstreamId", data_as_of as "dataAsOf", duration_ms as "durationMs",
       sealed_payload as "sealedPayload", payload_hash as "payloadHash", hash
     from enquiries where bucket = bucket_of($1) and vendor_id = $1 and sequence > $2
     order by sequence limit ${PAGE_ROWS}`,
    [vendorId, after],
  );
  return read.rows;
}

/** The vendor learned about the subject from the registry, which is recorded with the subject. */
function isDisclosure(row: Row): boolean {
  return row.outcome === 'answered' && row.source === 'registry';
}

/**
 * The enquiries that are recorded with their subject, with the same vendor, operation, time, reason
 * and agreement of the names.
 */
async function readNoted(db: Queryable, rows: readonly Row[]): Promise<ReadonlySet<string>> {
  const disclosed = rows.filter((row) => isDisclosure(row) && /^\d{1,18}$/.test(row.crn ?? ''));
  const read = await db.query<{ enquiryId: string }>(
    `select e.enquiry_id as "enquiryId"
     from unnest($1::bigint[], $2::timestamptz[], $3::uuid[], $4::integer[], $5::text[], $6::integer[],
       $7::boolean[])
       e (crn, enquired_at, enquiry_id, vendor_id, operation, report_reason, name_differs)
     join subject_enquiries
       using (crn, enquired_at, enquiry_id, vendor_id, operation, report_reason, name_differs)`,
    [
      disclosed.map((row) => row.crn),
      disclosed.map((row) => row.enquiredAt),
      disclosed.map((row) => row.enquiryId),
      disclosed.map((row) => row.vendorId),
      disclosed.map((row) => row.operation),
      disclosed.map((row) => row.reportReason),
      disclosed.map((row) => nameDiffers(row.matchRule)),
    ],
  );
  return new Set(read.rows.map((row) => row.enquiryId));
}

/** Subjects with a record of an enquiry of the vendor that is in no chain. */
async function readForgedNotes(db: Queryable, vendorId: number): Promise<bigint[]> {
  const read = await db.query<{ crn: bigint }>(
    // Citus joins no local table with rows on a worker, unless one of them is read first.
    `with made as materialized (
       select enquiry_id from enquiries where bucket = bucket_of($1) and vendor_id = $1
     )
     select n.crn from subject_enquiries n
     where n.vendor_id = $1
       and not exists (select from made where made.enquiry_id = n.enquiry_id)
     order by n.crn limit ${PAGE_ROWS}`,
    [vendorId],
  );
  return read.rows.map(({ crn }) => crn);
}

function faultsOf(row: Row, previous: Buffer, vault: Vault): string[] {
  const faults: string[] = [];
  if (!chainHash(previous, row.sequence, row).equals(row.hash)) {
    faults.push('the enquiry was altered, or is not the one that followed');
  }
  if (row.sealedPayload !== null && !isPayload(row, row.sealedPayload, vault)) {
    faults.push('the payload was altered, or cannot be decrypted');
  }
  return faults;
}

function isPayload(row: Row, sealed: Buffer, vault: Vault): boolean {
  try {
    const text = vault.unseal(sealed, payloadLocation(row.vendorId, row.enquiryId));
    return createHash('sha256').update(text, 'utf8').digest().equals(row.payloadHash);
  } catch {
    return false;
  }
}
