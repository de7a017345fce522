import { groupByBucket } from '../../parties/by-bucket-store.ts';
import type { Mac } from '../../platform/base/mac.ts';
import { bigintArray, textArray, timestampArray, uuidArray } from '../../platform/db/arrays.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { postingTime } from '../../platform/db/posting-time.ts';
import { referenceFileEndText, referenceFileText } from '../ledger/authenticity.ts';
import type { OpeningContent, ReferenceFileContent } from '../ledger/authenticity.ts';

export async function insertOpening(
  db: Queryable,
  row: OpeningContent & { readonly mac: Buffer },
): Promise<void> {
  await db.query(
    `insert into vendor_openings (vendor_id, import_id, collected_cents, float_cents, has_references,
       valued_at, posted_at, mac)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      ...[row.vendorId, row.importId, row.collectedCents, row.floatCents, row.hasReferences],
      ...[row.valuedAt, row.postedAt, row.mac],
    ],
  );
}

/** A merchant reference that a vendor used at the system that it came from. */
export interface UsedReference {
  readonly vendorId: number;
  readonly paymentId: string;
  readonly createdAt: Date;
  /** Null, like biller and account: not known. */
  readonly amountCents: bigint | null;
  readonly feeCents: bigint;
  readonly billerCode: string | null;
  readonly account: string | null;
  readonly phone: string | null;
  /** Null: not known yet. */
  readonly outcome: 'success' | 'failed' | null;
  readonly merchantReference: string;
}

/** What is stored stays as it is, but an outcome that was not known is added. No two rows have the same reference. */
export async function insertReferences(
  db: Queryable,
  rows: readonly UsedReference[],
): Promise<void> {
  for (const { bucket, items } of await groupByBucket(db, rows)) {
    await db.query(
      `insert into used_references (bucket, vendor_id, payment_id, created_at, amount_cents, fee_cents,
         biller_code, account, phone, outcome, merchant_reference)
       select $1::integer, w.* from unnest($2::integer[], $3::uuid[], $4::timestamptz[], $5::bigint[], $6::bigint[],
         $7::text[], $8::text[], $9::text[], $10::text[], $11::text[]) as w
       on conflict (bucket, vendor_id, merchant_reference) do update set outcome = excluded.outcome
         where used_references.outcome is null and excluded.outcome is not null`,
      [
        bucket,
        items.map((row) => row.vendorId),
        uuidArray(items.map((row) => row.paymentId)),
        timestampArray(items.map((row) => row.createdAt)),
        bigintArray(items.map((row) => row.amountCents)),
        bigintArray(items.map((row) => row.feeCents)),
        textArray(items.map((row) => row.billerCode)),
        textArray(items.map((row) => row.account)),
        textArray(items.map((row) => row.phone)),
        textArray(items.map((row) => row.outcome)),
        textArray(items.map((row) => row.merchantReference)),
      ],
    );
  }
}

export async function insertReferenceFile(
  db: Queryable,
  mac: Mac,
  file: Omit<ReferenceFileContent, 'approvedAt'>,
): Promise<void> {
  const row = { ...file, approvedAt: await postingTime(db) };
  await db.query(
    `insert into reference_files (sha256, proposal_id, is_last, vendor_ids, approved_at, mac)
     values ($1, $2, $3, $4, $5, $6)`,
    [
      ...[row.sha256, row.proposalId, row.isLast, row.vendorIds, row.approvedAt],
      mac.sign(referenceFileText(row)),
    ],
  );
}

/** Repeated after a kill, it changes nothing. */
export async function endReferenceFile(db: Queryable, mac: Mac, proposalId: string): Promise<void> {
  const row = { proposalId, endedAt: await postingTime(db) };
  await db.query(
    `insert into reference_file_ends (proposal_id, ended_at, mac) values ($1, $2, $3)
     on conflict do nothing`,
    [row.proposalId, row.endedAt, mac.sign(referenceFileEndText(row))],
  );
}
