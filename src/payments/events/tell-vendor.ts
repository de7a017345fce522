import type { PersonChange } from '../../parties/people/authenticity.ts';
import { insertRequests } from '../../parties/request-log-store.ts';
import { findVendorById } from '../../parties/read-vendors.ts';
import { newId } from '../../platform/base/ids.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { announceEvent } from './store.ts';

/** A change by staff is logged under the operation with which a vendor makes it itself. */
const ROUTES = {
  security_key: '/v1/keys',
  webhook_secret: '/v1/webhook/secrets',
  // A former one, which was valid for an overlap.
  security_key_ended: '/v1/keys',
  webhook_secret_ended: '/v1/webhook/secrets',
  webhook: '/v1/webhook',
  // Vendors do this in the console only.
  person_invited: 'people',
  person_linked: 'people',
  person_changed: 'people',
  person_confirmed: 'people',
} as const satisfies Readonly<Record<string, string>> & Readonly<Record<PersonChange, string>>;

export type AccountChange = keyof typeof ROUTES;

/**
 * Tells a vendor what staff have done with its account, in the database transaction that does it: by an event, and
 * in the request log, which the vendor's people see in the console. The event goes where events go afterwards, so
 * of a new address only the log tells whoever reads the former one.
 */
export async function tellVendor(
  db: Queryable,
  vendorId: number,
  { change, login = null }: { readonly change: AccountChange; readonly login?: string | null },
): Promise<void> {
  const vendor = await findVendorById(db, vendorId);
  if (vendor === undefined) return;
  const details = { change, login };
  await announceEvent(db, { vendorId, eventId: newId(), type: 'account.changed', details });
  const request = { method: 'STAFF', route: ROUTES[change], status: 200, code: null };
  const rest = { vendorId, at: new Date(), requestId: newId(), durationUs: 0, keyId: null };
  await insertRequests(db, vendor.bucket, [{ ...request, ...rest }]);
}

/** Returns `tellVendor` for a change in the console; undefined if the vendor's own people make it. */
export function tellOfStaff(
  { vendor }: { readonly vendor?: unknown },
  vendorId: number,
  change: AccountChange,
): ((db: Queryable) => Promise<void>) | undefined {
  if (vendor !== undefined) return undefined;
  return async (db) => await tellVendor(db, vendorId, { change });
}
