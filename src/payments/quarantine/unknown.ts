import { Refusal } from '../../platform/base/errors.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { hasLost } from './read-lost.ts';
import { findOpenQuarantine } from './read-quarantine.ts';

/**
 * The refusal for a payment that does not exist. In quarantine it may be one of the missing period, and
 * may be paid.
 * @param byOwnReference the vendor that asks by its own reference, which no case names: as long as people
 * have not decided about payments of the vendor that were lost, it may be that of one of them.
 */
export async function refuseUnknown(
  db: Queryable,
  otherwise: Refusal,
  byOwnReference?: number,
): Promise<Refusal> {
  if (!(await mayExist(db, byOwnReference))) return otherwise;
  const { field } = otherwise;
  return inQuarantine(field === undefined ? {} : { field });
}

/**
 * A search that finds none of the vendor's payments says that there is none, and the vendor pays again.
 * Throws: `quarantine` if a payment that was lost may be among those that were searched for.
 */
export async function requireNoneLost(
  db: Queryable,
  vendorId: number,
  named: { readonly field?: string } = {},
): Promise<void> {
  if (await mayExist(db, vendorId)) throw inQuarantine(named);
}

async function mayExist(db: Queryable, vendorId: number | undefined): Promise<boolean> {
  if ((await findOpenQuarantine(db)) !== undefined) return true;
  return vendorId !== undefined && (await hasLost(db, vendorId));
}

function inQuarantine(named: { readonly field?: string }): Refusal {
  return new Refusal('quarantine', { ...named, retryAfterSeconds: 60 });
}
