import { Refusal } from '../../platform/base/errors.ts';
import type { Mac } from '../../platform/base/mac.ts';
import type { MasterKeys } from '../../platform/base/sealing.ts';
import { unseal } from '../../platform/base/sealing.ts';
import { databaseTransaction } from '../../platform/db/pool.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import { isAuthentic } from './authenticity.ts';
import { acceptedStep } from './one-time-code.ts';
import { isPassword } from './password.ts';
import { addFailure, deleteFailures, findFailures, lockFailures } from './failures-store.ts';
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

interface SignInOptions {
  readonly pool: Pool;
  readonly ledgerMac: Mac;
  readonly masterKeys: MasterKeys;
  /** Everybody needs a one-time code. */
  readonly codesRequired: boolean;
}

/**
 * Checks a sign-in and returns the person's id. Every wrong combination gets the same answer, which
 * does not tell whether the person exists, and so does somebody who was changed in the database. While the password is hashed, no connection to the database
 * is held, because others need them.
 * Throws: `sign_in_failed`, `code_required`, `too_many_requests`.
 */
export async function checkSignIn(
  options: SignInOptions,
  request: SignInRequest,
  now: Date,
): Promise<string> {
  const login = request.login.trim().toLowerCase();
  const checked = await check(options, { ...request, login }, now);
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

/** Counts a failure. @param request with the name as it is stored. */
async function check(options: SignInOptions, request: SignInRequest, now: Date): Promise<Checked> {
  const { pool } = options;
  const { login, password } = request;
  // A name that has to wait costs no hash.
  const failures = await findFailures(pool, login);
  const seconds = failures === undefined ? 0 : secondsToWait(failures, now);
  if (seconds > 0) return { kind: 'wait', seconds };
  const provenHash = await findProvenHash(pool, login, password);
  return await databaseTransaction(pool, async (db) => {
    return await decide(db, { ...options, provenHash }, request, now);
  });
}

/** The person's stored hash, if it is that of the password. */
async function findProvenHash(
  pool: Pool,
  login: string,
  password: string,
): Promise<string | undefined> {
  const stored = (await findCredentials(pool, login))?.passwordHash ?? null;
  const isRight = await isPassword(password, stored);
  return isRight && stored !== null ? stored : undefined;
}

/** After the password was hashed. */
async function decide(
  db: Queryable,
  options: SignInOptions & { readonly provenHash: string | undefined },
  { login, code }: SignInRequest,
  now: Date,
): Promise<Checked> {
  // One after the other, so that guesses whose passwords were hashed at the same time are counted.
  // Unknown names wait like known ones.
  const seconds = secondsToWait(await lockFailures(db, login, now), now);
  if (seconds > 0) return { kind: 'wait', seconds };
  const person = await findCredentials(db, login);
  // The password may have been replaced meanwhile.
  const isRight = person !== undefined && person.passwordHash === options.provenHash;
  const result: Checked =
    isRight && person.status === 'active' && isAuthentic(person, options.ledgerMac)
      ? checkCode(options, person, { code, now })
      : { kind: 'failed' };
  if (result.kind === 'failed') await addFailure(db, login, now);
  if (result.kind === 'done') {
    await deleteFailures(db, login);
    if (result.codeStep !== null) await setCodeStep(db, result.personId, result.codeStep);
  }
  return result;
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
