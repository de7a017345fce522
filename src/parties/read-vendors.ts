import type { Queryable } from '../platform/db/pool.ts';
import type { Vendor } from './vendor.ts';

export interface VendorRow extends Omit<Vendor, 'suspended' | 'keys'> {
  bucket: number;
  status: 'active' | 'suspended';
  createdAt: Date;
}

const VENDOR_COLUMNS = `vendor_id as "vendorId", bucket_of(vendor_id) as bucket, vid, name, sector, status,
  duplicate_check as "duplicateCheck", duplicate_window_seconds as "duplicateWindowSeconds",
  reference_required as "referenceRequired",
  enquiry_policy as "enquiryPolicy", status_text as "statusText", signature,
  created_at as "createdAt"`;

export async function listVendors(db: Queryable): Promise<VendorRow[]> {
  return (await db.query<VendorRow>(`select ${VENDOR_COLUMNS} from vendors order by vendor_id`))
    .rows;
}

export async function hasVendors(db: Queryable): Promise<boolean> {
  return (await db.query('select from vendors limit 1')).rowCount === 1;
}

/** The `vid` of every vendor, by its id. */
export async function readVids(db: Queryable): Promise<ReadonlyMap<number, string>> {
  return new Map((await listVendors(db)).map(({ vendorId, vid }) => [vendorId, vid]));
}

/** Vendors whose vid or name contains the text, by vid. */
export async function listVendorsAfter(
  db: Queryable,
  page: {
    readonly search: string;
    readonly status: VendorRow['status'] | undefined;
    /** The vid of the last one before; empty: from the beginning. */
    readonly after: string;
    readonly limit: number;
  },
): Promise<VendorRow[]> {
  const listed = await db.query<VendorRow>(
    `select ${VENDOR_COLUMNS} from vendors
     where vid > $1 and ($2::text is null or status = $2)
       and (strpos(lower(vid), lower($3)) > 0 or strpos(lower(name), lower($3)) > 0)
     order by vid limit $4`,
    [page.after, page.status ?? null, page.search, page.limit],
  );
  return listed.rows;
}

export async function findVendor(db: Queryable, vid: string): Promise<VendorRow | undefined> {
  const found = await db.query<VendorRow>(`select ${VENDOR_COLUMNS} from vendors where vid = $1`, [
    vid,
  ]);
  return found.rows[0];
}

export async function findVendorById(
  db: Queryable,
  vendorId: number,
): Promise<VendorRow | undefined> {
  const found = await db.query<VendorRow>(
    `select ${VENDOR_COLUMNS} from vendors where vendor_id = $1`,
    [vendorId],
  );
  return found.rows[0];
}

/** The id of a vendor that is the same but for upper and lower case. */
export async function findSameVid(db: Queryable, vid: string): Promise<string | undefined> {
  const found = await db.query<{ vid: string }>(
    'select vid from vendors where lower(vid) = lower($1) limit 1',
    [vid],
  );
  return found.rows[0]?.vid;
}
