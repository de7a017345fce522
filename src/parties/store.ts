import type { Queryable } from '../platform/db/pool.ts';
import { lockTopic } from '../platform/db/settings-watch.ts';
import type {
  CollectorScope,
  DuplicateCheck,
  DuplicateWindow,
  EnquiryPolicy,
  Sector,
  SignatureVersion,
  StatusText,
} from './vendor.ts';
import type { HolderKind, KeyRow } from './read-keys.ts';

/** The lock lasts until the database transaction ends. Payments of the vendor do not wait for it. */
export async function lockVendor(db: Queryable, vendorId: number): Promise<void> {
  await db.query('select 1 from vendors where vendor_id = $1 for no key update', [vendorId]);
}

/** Ends every key of the holder now. */
export async function endKeys(
  db: Queryable,
  { holderKind, holder }: Pick<KeyRow, 'holderKind' | 'holder'>,
): Promise<void> {
  const keys = await db.query<{ keyId: string }>(
    `select key_id as "keyId" from security_keys
     where holder_kind = $1 and holder = $2 and (valid_until is null or valid_until > now())`,
    [holderKind, holder],
  );
  for (const { keyId } of keys.rows) await endKey(db, { holderKind, holder, keyId }, 0);
}

/** Inserts a vendor with the next free id; undefined if the vid exists. */
export async function insertVendor(
  db: Queryable,
  vendor: {
    readonly vid: string;
    readonly name: string;
    readonly sector: Sector;
    readonly createdAt: Date;
  },
): Promise<number | undefined> {
  // Vendors are added rarely and by hand. The lock keeps two commands from choosing the same id. A
  // lock of the table itself would need privileges that the runtime role does not have.
  await lockTopic(db, 'vendors');
  const inserted = await db.query<{ vendorId: number }>(
    `insert into vendors (vendor_id, vid, name, sector, created_at)
     select coalesce(max(vendor_id), 0) + 1, $1, $2, $3, $4 from vendors
     on conflict (vid) do nothing returning vendor_id as "vendorId"`,
    [vendor.vid, vendor.name, vendor.sector, vendor.createdAt],
  );
  return inserted.rows[0]?.vendorId;
}

/** Returns false if the name exists. */
export async function insertCollector(
  db: Queryable,
  collector: {
    readonly collector: string;
    readonly name: string;
    readonly scope: CollectorScope;
    readonly createdAt: Date;
  },
): Promise<boolean> {
  const { scope } = collector;
  const inserted = await db.query(
    `insert into collectors (collector, name, all_vendors, vids, created_at)
     values ($1, $2, $3, $4, $5) on conflict do nothing`,
    [
      collector.collector,
      collector.name,
      scope === 'all',
      scope === 'all' ? [] : scope,
      collector.createdAt,
    ],
  );
  return inserted.rowCount === 1;
}

export async function insertKey(db: Queryable, key: Omit<KeyRow, 'validUntil'>): Promise<void> {
  await db.query(
    `insert into security_keys (holder_kind, holder, key_id, master_key_id, sealed, created_at)
     values ($1, $2, $3, $4, $5, $6)`,
    [key.holderKind, key.holder, key.keyId, key.masterKeyId, key.sealed, key.createdAt],
  );
}

/**
 * Ends every key of the holder except the given one: the one that was current later, the rest now.
 */
export async function retireKeys(
  db: Queryable,
  keep: { readonly holderKind: HolderKind; readonly holder: string; readonly keyId: string },
  overlapSeconds: number,
): Promise<void> {
  const others = await db.query<{ keyId: string }>(
    `select key_id as "keyId" from security_keys
     where holder_kind = $1 and holder = $2 and key_id <> $3
       and (valid_until is null or valid_until > now())
     order by valid_until desc nulls first, created_at desc, key_id desc`,
    [keep.holderKind, keep.holder, keep.keyId],
  );
  for (const [age, { keyId }] of others.rows.entries()) {
    await endKey(db, { ...keep, keyId }, age === 0 ? overlapSeconds : 0);
  }
}

/** Ends one key now. */
export async function endKeyNow(
  db: Queryable,
  key: { readonly holderKind: HolderKind; readonly holder: string; readonly keyId: string },
): Promise<void> {
  await endKey(db, key, 0);
}

/** One key at a time: Citus calls no function with rows of a table that the function changes. */
async function endKey(
  db: Queryable,
  { holderKind, holder, keyId }: Parameters<typeof retireKeys>[1],
  inSeconds: number,
): Promise<void> {
  await db.query(`select end_key($1, $2, $3, now() + $4::integer * interval '1 second')`, [
    holderKind,
    holder,
    keyId,
    inSeconds,
  ]);
}

/** Replaces the sealed bytes of one key (re-encryption under a new master key). */
export async function updateSealed(
  db: Queryable,
  key: Omit<KeyRow, 'createdAt' | 'validUntil'>,
): Promise<void> {
  await db.query(
    `update security_keys set master_key_id = $4, sealed = $5
     where holder_kind = $1 and holder = $2 and key_id = $3`,
    [key.holderKind, key.holder, key.keyId, key.masterKeyId, key.sealed],
  );
}

export interface VendorChange {
  readonly name?: string | undefined;
  readonly sector?: Sector | undefined;
  readonly status?: 'active' | 'suspended' | undefined;
  readonly duplicateCheck?: DuplicateCheck | undefined;
  readonly duplicateWindowSeconds?: DuplicateWindow | undefined;
  readonly referenceRequired?: boolean | undefined;
  readonly enquiryPolicy?: EnquiryPolicy | undefined;
  readonly statusText?: StatusText | undefined;
  readonly signature?: SignatureVersion | undefined;
}

/** Changes settings of a vendor; absent ones stay. Returns false if the vendor does not exist. */
export async function updateVendor(
  db: Queryable,
  vid: string,
  change: VendorChange,
): Promise<boolean> {
  const updated = await db.query(
    `update vendors set status = coalesce($2, status),
       duplicate_check = coalesce($3, duplicate_check),
       reference_required = coalesce($4, reference_required),
       name = coalesce($5, name), sector = coalesce($6, sector),
       signature = coalesce($7, signature),
       enquiry_policy = coalesce($8, enquiry_policy), status_text = coalesce($9, status_text),
       duplicate_window_seconds = coalesce($10, duplicate_window_seconds)
     where vid = $1`,
    [
      vid,
      change.status ?? null,
      change.duplicateCheck ?? null,
      change.referenceRequired ?? null,
      change.name ?? null,
      change.sector ?? null,
      change.signature ?? null,
      change.enquiryPolicy ?? null,
      change.statusText ?? null,
      change.duplicateWindowSeconds ?? null,
    ],
  );
  return updated.rowCount === 1;
}

export interface CollectorChange {
  readonly status?: 'active' | 'suspended' | undefined;
  readonly signature?: SignatureVersion | undefined;
  readonly scope?: CollectorScope | undefined;
}

/**
 * Changes settings of a collector; absent ones stay. Returns false if the collector does not exist.
 */
export async function updateCollector(
  db: Queryable,
  collector: string,
  change: CollectorChange,
): Promise<boolean> {
  const { scope } = change;
  const updated = await db.query(
    `update collectors set status = coalesce($2, status), signature = coalesce($3, signature),
       all_vendors = coalesce($4, all_vendors), vids = coalesce($5, vids)
     where collector = $1`,
    [
      collector,
      change.status ?? null,
      change.signature ?? null,
      scope === undefined ? null : scope === 'all',
      scope === undefined ? null : scope === 'all' ? [] : scope,
    ],
  );
  return updated.rowCount === 1;
}

/** Inserts the key unless it exists. Returns whether it was inserted. */
export async function insertKeyOnce(
  db: Queryable,
  key: Parameters<typeof insertKey>[1],
): Promise<boolean> {
  const inserted = await db.query(
    `insert into security_keys (holder_kind, holder, key_id, master_key_id, sealed, created_at)
     values ($1, $2, $3, $4, $5, $6) on conflict do nothing`,
    [key.holderKind, key.holder, key.keyId, key.masterKeyId, key.sealed, key.createdAt],
  );
  return inserted.rowCount === 1;
}

/** Finds the names that are vendors or collectors. */
export async function findSigners(db: Queryable, names: readonly string[]): Promise<string[]> {
  const found = await db.query<{ name: string }>(
    `select vid as name from vendors where vid = any($1)
     union select collector from collectors where collector = any($1)`,
    [names],
  );
  return found.rows.map((row) => row.name);
}
