import { Refusal } from '../../platform/base/errors.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { hasLost } from './lost-store.ts';
import { findOpenQuarantine } from './store.ts';

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
  const mayExist =
    (await findOpenQuarantine(db)) !== undefined ||
    (byOwnReference !== undefined && (await hasLost(db, byOwnReference)));
  if (!mayExist) return otherwise;
  const { field } = otherwise;
  return new Refusal('quarantine', {
    ...(field === undefined ? {} : { field }),
    retryAfterSeconds: 60,
  });
}
