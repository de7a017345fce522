import { audited } from '../parties/people/audited.ts';
import type { ActionLimit, ActionRules, Done, Noted } from '../parties/people/audited.ts';
import type { Vendor } from '../parties/vendor.ts';
import type { ResourceContext } from '../platform/http/resource.ts';
import type { SelfServiceDeps } from './resource.ts';

/** In the audit log, in place of a person's role. */
const ROLE = 'api';

interface Action {
  /** As people's: the audit log shows both under one name. */
  readonly action: string;
  readonly limit: ActionLimit;
}

/**
 * A change that a vendor makes by program, between its two entries in the audit log.
 * Throws: `too_many_requests`.
 */
export async function act<Answer>(
  { pool, clock }: Pick<SelfServiceDeps, 'pool' | 'clock'>,
  { signer, keyId, address, requestId }: ResourceContext<Vendor>,
  { action, limit }: Action,
  change: () => Promise<Done<Answer>>,
): Promise<Answer> {
  const noted: Noted & ActionRules = {
    personId: null,
    vendorId: signer.vendorId,
    login: signer.vid,
    role: ROLE,
    channel: 'vendor',
    action,
    target: signer.vid,
    reason: null,
    address,
    requestId,
    filter: { key_id: keyId },
    limit,
  };
  return await audited(noted, { pool, clock }, change);
}

/** Counts all people and programs of the vendor together. */
export function perMinute(count: number, what: string): ActionLimit {
  const text = `At most ${count} ${what} are possible in a minute.`;
  return { perTarget: { count, seconds: 60, text } };
}
