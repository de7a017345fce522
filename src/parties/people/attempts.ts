import type { FastifyRequest } from 'fastify';
import type { Clock } from '../../platform/base/clock.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { createLimit, networkOf } from '../../platform/http/rate-limits.ts';
import type { Channel } from './audit-entry.ts';
import { audited } from './audited.ts';
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
  const noted = {
    ...{ personId: null, vendorId: null, role: null, target: null, reason: null },
    ...{ login: entry.login.slice(0, MAX_LOGIN_LENGTH), action: entry.action, channel },
    ...{ address: request.ip, requestId: request.id },
  };
  return await audited(noted, { pool, clock }, async () => ({ answer: await work() }));
}
