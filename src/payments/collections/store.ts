import type { Queryable } from '../../platform/db/pool.ts';

export interface CollectionRow {
  collector: string;
  reference: string;
  vendor_id: number;
  collection_id: string;
  amount_cents: bigint;
  paid_at: Date;
  created_at: Date;
  /** Its authentication code. */
  mac: Buffer;
}

/** Returns false when the collector used the reference before. */
export async function insertCollection(db: Queryable, row: CollectionRow): Promise<boolean> {
  const inserted = await db.query(
    `insert into collections (collector, reference, vendor_id, collection_id, amount_cents, paid_at, created_at, mac)
     values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing`,
    [
      row.collector,
      row.reference,
      row.vendor_id,
      row.collection_id,
      row.amount_cents,
      row.paid_at,
      row.created_at,
      row.mac,
    ],
  );
  return inserted.rowCount === 1;
}

export async function findCollection(
  db: Queryable,
  collector: string,
  reference: string,
): Promise<CollectionRow | undefined> {
  const found = await db.query<CollectionRow>(
    'select * from collections where collector = $1 and reference = $2',
    [collector, reference],
  );
  return found.rows[0];
}

export interface FundMovementRow {
  vendor_id: number;
  requested_at: Date;
  movement_id: string;
  amount_cents: bigint;
  created_at: Date;
}

export async function insertFundMovement(db: Queryable, row: FundMovementRow): Promise<void> {
  await db.query(
    `insert into fund_movements (vendor_id, requested_at, movement_id, amount_cents, created_at)
     values ($1, $2, $3, $4, $5)`,
    [row.vendor_id, row.requested_at, row.movement_id, row.amount_cents, row.created_at],
  );
}

/** The first movement that a request with this time made. */
export async function findFirstFundMovement(
  db: Queryable,
  vendorId: number,
  requestedAt: Date,
): Promise<FundMovementRow | undefined> {
  const found = await db.query<FundMovementRow>(
    `select * from fund_movements where vendor_id = $1 and requested_at = $2
     order by created_at, movement_id limit 1`,
    [vendorId, requestedAt],
  );
  return found.rows[0];
}
