import type { FastifyRequest } from 'fastify';
import type { Clock } from '../../platform/base/clock.ts';
import { Refusal } from '../../platform/base/errors.ts';
import { newId } from '../../platform/base/ids.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { createLimit, networkOf } from '../../platform/http/rate-limits.ts';
import { endAudit, insertAudit } from './audit-store.ts';
import type { Channel } from './audit-store.ts';
import type { KnownDevice } from './known-devices.ts';
import { MAX_LOGIN_LENGTH } from './login.ts';
import { createSignInTurns } from './sign-in-turns.ts';
import type { SignInTurns } from './sign-in-turns.ts';

/** Attempts to sign in, wherever somebody makes them: how many, at once and in a time, and their entries. */

/** The limit of attempts from one network: a burst, then one every six seconds. */
const ATTEMPTS = { burst: 20, perSecond: 1 / 6 };

export interface SignInDoor {
  /** Throws: `too_many_requests`. */
  readonly limit: ReturnType<typeof limitAttempts>;
  readonly inTurn: SignInTurns;
}

/** One for all surfaces of a process: guesses at one count at the others. */
export function createDoor(): SignInDoor {
  return { limit: limitAttempts(), inTurn: createSignInTurns() };
}

/** A device on which somebody has signed in is not delayed by others in its network. Throws: `too_many_requests`. */
export function limitAttempts(): (request: FastifyRequest, device?: KnownDevice) => void {
  const limit = createLimit(ATTEMPTS);
  return (request, device) =>
    limit.count(device === undefined ? networkOf(request.ip) : `device ${device.name}`);
}

/** Writes the attempt and its result into the audit log. */
export async function recorded(
  request: FastifyRequest,
  {
    pool,
    clock,
    channel,
  }: { readonly pool: Pool; readonly clock: Clock; readonly channel: Channel },
  entry: { readonly action: string; readonly login: string },
  work: () => Promise<string>,
): Promise<string> {
  const auditId = newId();
  await insertAudit(pool, {
    auditId,
    at: clock.now(),
    personId: null,
    vendorId: null,
    login: entry.login.slice(0, MAX_LOGIN_LENGTH),
    role: null,
    channel,
    action: entry.action,
    target: null,
    reason: null,
    address: request.ip,
    requestId: request.id,
  });
  try {
    const personId = await work();
    await endAudit(pool, auditId, { result: 'done', at: clock.now() });
    return personId;
  } catch (error) {
    const result = error instanceof Refusal ? 'refused' : 'failed';
    await endAudit(pool, auditId, { result, at: clock.now() });
    throw error;
  }
}
