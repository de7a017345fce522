import type { CollectionContent } from '../ledger/authenticity.ts';
import { plainReference } from '../../platform/base/written-alike.ts';
import type { Queryable } from '../../platform/db/pool.ts';

export interface CollectionRow extends CollectionContent {
  /** Its authentication code. */
  mac: Buffer;
}

/** Returns false if the collector has used the reference before. */
export async function insertCollection(db: Queryable, row: CollectionRow): Promise<boolean> {
  const inserted = await db.query(
    `insert into collections (collector, reference, vendor_id, collection_id, amount_cents, paid_at, created_at, account, mac)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict do nothing`,
    [
      row.collector,
      row.reference,
      row.vendorId,
      row.collectionId,
      row.amountCents,
      row.paidAt,
      row.createdAt,
      row.account,
      row.mac,
    ],
  );
  return inserted.rowCount === 1;
}

export async function findCollection(
  db: Queryable,
  collector: string,
  reference: string,
): Promise<Omit<CollectionRow, 'mac'> | undefined> {
  const found = await db.query<Omit<CollectionRow, 'mac'>>(
    `select collector, reference, vendor_id as "vendorId", collection_id as "collectionId",
       amount_cents as "amountCents", paid_at as "paidAt", created_at as "createdAt", account
     from collections where collector = $1 and reference = $2`,
    [collector, reference],
  );
  return found.rows[0];
}

/** The collections of one amount whose references differ from one of these at most in case and separators. */
export async function listCollectionsLike(
  db: Queryable,
  references: readonly string[],
  amountCents: bigint,
): Promise<Pick<CollectionRow, 'collector' | 'reference'>[]> {
  const listed = await db.query<Pick<CollectionRow, 'collector' | 'reference'>>(
    `select collector, reference from collections
     where lower(regexp_replace(reference, '[^A-Za-z0-9]', '', 'g')) = any ($1) and amount_cents = $2
     order by collector, reference`,
    [references.map(plainReference), amountCents],
  );
  return listed.rows;
}

export interface FundMovementRow {
  vendorId: number;
  requestedAt: Date;
  movementId: string;
  amountCents: bigint;
  createdAt: Date;
}

export async function insertFundMovement(db: Queryable, row: FundMovementRow): Promise<void> {
  await db.query(
    `insert into fund_movements (bucket, vendor_id, requested_at, movement_id, amount_cents, created_at)
     values (bucket_of($1), $1, $2, $3, $4, $5)`,
    [row.vendorId, row.requestedAt, row.movementId, row.amountCents, row.createdAt],
  );
}

/** The latest movement made by a request with this time. */
export async function findLatestFundMovement(
  db: Queryable,
  vendorId: number,
  requestedAt: Date,
): Promise<FundMovementRow | undefined> {
  const found = await db.query<FundMovementRow>(
    `select vendor_id as "vendorId", requested_at as "requestedAt", movement_id as "movementId",
       amount_cents as "amountCents", created_at as "createdAt"
     from fund_movements where bucket = bucket_of($1) and vendor_id = $1 and requested_at = $2
     order by created_at desc, movement_id desc limit 1`,
    [vendorId, requestedAt],
  );
  return found.rows[0];
}

/** The income that a collector reported for a vendor. */
export interface CollectedFor {
  vendorId: number;
  count: bigint;
  cents: bigint;
  firstAt: Date;
  lastAt: Date;
}

export async function readCollected(db: Queryable, collector: string): Promise<CollectedFor[]> {
  const read = await db.query<CollectedFor>(
    `select vendor_id as "vendorId", count(*) as count, sum(amount_cents)::bigint as cents,
       min(created_at) as "firstAt", max(created_at) as "lastAt"
     from collections where collector = $1 group by vendor_id order by vendor_id`,
    [collector],
  );
  return read.rows;
}
