import { PlainError } from '../platform/base/plain-error.ts';
import type { Queryable } from '../platform/db/pool.ts';
import type { CollectorScope, SignatureVersion } from './vendor.ts';

export interface CollectorRow {
  collector: string;
  name: string;
  status: 'active' | 'suspended';
  signature: SignatureVersion;
  allVendors: boolean;
  /** Used when `allVendors` is false. */
  vids: string[];
  createdAt: Date;
}

const COLLECTOR_COLUMNS = `collector, name, status, signature, all_vendors as "allVendors", vids,
  created_at as "createdAt"`;

export async function findCollector(
  db: Queryable,
  collector: string,
): Promise<CollectorRow | undefined> {
  const found = await db.query<CollectorRow>(
    `select ${COLLECTOR_COLUMNS} from collectors where collector = $1`,
    [collector],
  );
  return found.rows[0];
}

/** Throws: `PlainError`. */
export async function requireCollector(db: Queryable, collector: string): Promise<CollectorRow> {
  const found = await findCollector(db, collector);
  if (found === undefined) throw noCollector(collector);
  return found;
}

export const noCollector = (collector: string): PlainError =>
  new PlainError(`Collector ${collector} does not exist.`);

export async function listCollectors(db: Queryable): Promise<CollectorRow[]> {
  const listed = await db.query<CollectorRow>(
    `select ${COLLECTOR_COLUMNS} from collectors order by collector`,
  );
  return listed.rows;
}

export function scopeOf(row: CollectorRow): CollectorScope {
  return row.allVendors ? 'all' : row.vids;
}
