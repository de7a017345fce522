import type { Clock } from '../../platform/base/clock.ts';
import { createLongReads } from '../../platform/base/long-reads.ts';
import type { LongReader } from '../../platform/base/long-reads.ts';
import { checkSignIn } from './sign-in.ts';
import type { SignInOptions, SignInRequest } from './sign-in.ts';

/** Hashing a password takes a core. */
const PASSWORDS_AT_ONCE = 1;

/**
 * Asks somebody who is signed in for password and code again. Throws what `checkSignIn` throws. @param reader all people
 * of a vendor take turns as one.
 */
export type SignInAgain = (
  reader: LongReader,
  given: Omit<SignInRequest, 'from'>,
) => Promise<string>;

/** Such checks wait only for each other, not for strangers who sign in. */
export function createSignInAgain(options: SignInOptions & { readonly clock: Clock }): SignInAgain {
  const inTurn = createLongReads(PASSWORDS_AT_ONCE);
  return async (reader, given) =>
    await inTurn({ ...reader, isNeverRefused: true }, () =>
      checkSignIn(options, { ...given, from: 'session' }, options.clock.now()),
    );
}
