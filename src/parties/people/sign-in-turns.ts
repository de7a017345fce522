import type { FastifyRequest } from 'fastify';
import { Refusal } from '../../platform/base/errors.ts';
import { LIMITS } from '../../platform/base/limits.ts';
import { createLongReads } from '../../platform/base/long-reads.ts';
import { networkOf } from '../../platform/http/rate-limits.ts';

/** Runs a sign-in when its turn comes. Throws: `overloaded`, and what the sign-in throws. */
export type SignInTurns = <Result>(
  sender: Pick<FastifyRequest, 'ip' | 'isClosed'>,
  signIn: () => Promise<Result>,
) => Promise<Result>;

const RETRY_SECONDS = 2;

/**
 * Sign-ins take turns, because anybody can send them and hashing a password takes a core. A few are
 * checked at once, and one of each network. The others wait without a connection to the database, and
 * those beyond the limit are refused. So people who are signed in never wait for them.
 */
export function createSignInTurns(
  limits: { readonly atOnce: number; readonly underWay: number } = {
    atOnce: LIMITS.signInsAtOnce,
    underWay: LIMITS.signInsUnderWay,
  },
): SignInTurns {
  // Sign-ins get their turns as long reads do.
  const inTurn = createLongReads(limits.atOnce);
  let underWay = 0;
  return async (sender, signIn) => {
    if (underWay >= limits.underWay) throw tooMany();
    underWay += 1;
    try {
      const isClosed = (): boolean => sender.isClosed;
      return await inTurn({ name: networkOf(sender.ip), isClosed, isNeverRefused: true }, signIn);
    } finally {
      underWay -= 1;
    }
  };
}

function tooMany(): Refusal {
  const text = `Too many people are signing in. Try again in ${RETRY_SECONDS} seconds.`;
  return new Refusal('overloaded', { text, retryAfterSeconds: RETRY_SECONDS });
}
