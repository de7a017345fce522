import { Refusal } from '../../platform/base/errors.ts';
import type { MasterKeys } from '../../platform/base/sealing.ts';
import { unseal } from '../../platform/base/sealing.ts';
import { databaseTransaction } from '../../platform/db/pool.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { acceptedStep } from './one-time-code.ts';
import { isPassword } from './password.ts';
import { addFailure, deleteFailures, lockFailures } from './failures-store.ts';
import { findCredentials, setCodeStep } from './people-store.ts';
import type { CredentialsRow } from './people-store.ts';
import { secondsToWait } from './wait.ts';

export interface SignInRequest {
  readonly login: string;
  readonly password: string;
  /** Six digits; undefined: not entered yet. */
  readonly code: string | undefined;
}

/** Where a person's secret is stored, for its encryption. */
export function codeSecretLocation(personId: string): string {
  return `people|${personId}|code_secret`;
}

type Checked =
  | { readonly kind: 'done'; readonly personId: string; readonly codeStep: bigint | null }
  | { readonly kind: 'failed' }
  | { readonly kind: 'code_required' }
  | { readonly kind: 'wait'; readonly seconds: number };

/**
 * Checks a sign-in and returns the person's id. Every wrong combination gets the same answer, which
 * does not tell whether the person exists.
 * Throws: `sign_in_failed`, `code_required`, `too_many_requests`.
 */
export async function checkSignIn(
  options: {
    readonly pool: Pool;
    readonly masterKeys: MasterKeys;
    /** Everybody needs a one-time code. */
    readonly codesRequired: boolean;
  },
  request: SignInRequest,
  now: Date,
): Promise<string> {
  const checked = await databaseTransaction(options.pool, async (db): Promise<Checked> => {
    const login = request.login.trim().toLowerCase();
    // One after the other, so that guesses sent at the same time are counted. Unknown names wait like
    // known ones.
    const seconds = secondsToWait(await lockFailures(db, login, now), now);
    if (seconds > 0) return { kind: 'wait', seconds };
    const person = await findCredentials(db, login);
    const isRight = await isPassword(request.password, person?.passwordHash ?? null);
    const result: Checked =
      person === undefined || !isRight || person.status !== 'active'
        ? { kind: 'failed' }
        : checkCode(options, person, { code: request.code, now });
    if (result.kind === 'failed') await addFailure(db, login, now);
    if (result.kind === 'done') {
      await deleteFailures(db, login);
      if (result.codeStep !== null) await setCodeStep(db, result.personId, result.codeStep);
    }
    return result;
  });
  switch (checked.kind) {
    case 'done':
      return checked.personId;
    case 'wait':
      throw new Refusal('too_many_requests', { retryAfterSeconds: checked.seconds });
    case 'code_required':
      throw new Refusal('code_required', { field: 'code' });
    case 'failed':
      throw new Refusal('sign_in_failed');
  }
}

/** After the password was right. */
function checkCode(
  options: { readonly masterKeys: MasterKeys; readonly codesRequired: boolean },
  person: CredentialsRow,
  given: { readonly code: string | undefined; readonly now: Date },
): Checked {
  const { personId, masterKeyId, codeSecret, codeStep: lastStep } = person;
  if (masterKeyId === null || codeSecret === null) {
    return options.codesRequired ? { kind: 'failed' } : { kind: 'done', personId, codeStep: null };
  }
  if (given.code === undefined || given.code === '') return { kind: 'code_required' };
  const location = codeSecretLocation(personId);
  const secret = unseal({ masterKeyId, bytes: codeSecret }, location, options.masterKeys);
  const codeStep = acceptedStep({ code: given.code, secret, now: given.now, lastStep });
  return codeStep === undefined ? { kind: 'failed' } : { kind: 'done', personId, codeStep };
}
