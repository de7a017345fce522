import { Refusal } from '../../platform/base/errors.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { findOpenQuarantine } from './store.ts';

/**
 * The refusal for a payment that does not exist. In quarantine it may be one of the missing period, and
 * may be paid.
 */
export async function refuseUnknown(db: Queryable, otherwise: Refusal): Promise<Refusal> {
  if ((await findOpenQuarantine(db)) === undefined) return otherwise;
  const { field } = otherwise;
  return new Refusal('quarantine', {
    ...(field === undefined ? {} : { field }),
    retryAfterSeconds: 60,
  });
}
