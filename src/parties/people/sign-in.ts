import { Refusal } from '../../platform/base/errors.ts';
import type { Mac } from '../../platform/base/mac.ts';
import type { MasterKeys } from '../../platform/base/sealing.ts';
import { unseal } from '../../platform/base/sealing.ts';
import { databaseTransaction } from '../../platform/db/pool.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import { credentialsText, isAuthentic } from './authenticity.ts';
import { loginFrom } from './login.ts';
import { acceptedStep } from './one-time-code.ts';
import { isPassword } from './password.ts';
import { deleteFailures, findFailures, lockFailures, setFailures } from './failures-store.ts';
import type { FailuresRow } from './failures-store.ts';
import { isKnownTo } from './known-devices.ts';
import type { KnownDevice } from './known-devices.ts';
import { insertEnded } from './ended-store.ts';
import { findCredentials, setCodeStep } from './people-store.ts';
import type { CredentialsRow } from './people-store.ts';
import { remembered, secondsToWait, secondsToWaitAsStranger } from './wait.ts';

export interface SignInRequest {
  readonly login: string;
  readonly password: string;
  /** Six digits; undefined: not entered yet. */
  readonly code: string | undefined;
  readonly from: SignInPlace;
}

/**
 * Where a sign-in comes from. Guesses slow down the place that they come from, so that strangers who know a login
 * do not shut its owner out: not on a device on which the owner has signed in, in a session, or at the machine.
 */
export type SignInPlace =
  | {
      /** The address, or its network. */
      readonly network: string;
      /** Kept by the browser from an earlier sign-in with this login. */
      readonly device: KnownDevice | undefined;
    }
  | 'session'
  | 'command line';

/** Where a person's secret is stored, for its encryption. */
export function codeSecretLocation(personId: string): string {
  return `people|${personId}|code_secret`;
}

type Checked =
  | { readonly kind: 'done'; readonly personId: string; readonly codeStep: bigint | null }
  | { readonly kind: 'failed' }
  | { readonly kind: 'code_required' }
  | { readonly kind: 'wait'; readonly seconds: number };

export interface SignInOptions {
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
  const login = loginFrom(request.login);
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
  const person = await findCredentials(pool, login);
  const source = sourceOf(request, person);
  // A guess that has to wait costs no hash.
  const seconds = await waitBefore(pool, login, source, now);
  if (seconds > 0) return { kind: 'wait', seconds };
  const provenHash = await proven(password, person?.passwordHash ?? null);
  return await databaseTransaction(pool, async (db) => {
    return await decide(db, { ...options, source, provenHash }, request, now);
  });
}

/** Where a sign-in comes from, as failures are counted. */
interface Source {
  readonly name: string;
  readonly isStranger: boolean;
}

/** Nothing in it depends on whether a person has the login, unless the device proves who its owner is. */
function sourceOf({ from }: SignInRequest, person: CredentialsRow | undefined): Source {
  if (typeof from === 'string') return { name: from, isStranger: false };
  const { network, device } = from;
  return device !== undefined && person !== undefined && isKnownTo(device, person)
    ? { name: `device ${device.name}`, isStranger: false }
    : { name: `network ${network}`, isStranger: true };
}

async function waitBefore(
  pool: Pool,
  login: string,
  { name, isStranger }: Source,
  now: Date,
): Promise<number> {
  const own = await findFailures(pool, login, name);
  const all = isStranger ? await findFailures(pool, login, null) : undefined;
  return Math.max(
    own === undefined ? 0 : secondsToWait(own, now),
    all === undefined ? 0 : secondsToWaitAsStranger(all, now),
  );
}

/** The stored hash, if it is that of the password. */
async function proven(password: string, stored: string | null): Promise<string | undefined> {
  const isRight = await isPassword(password, stored);
  return isRight && stored !== null ? stored : undefined;
}

/** After the password was hashed. */
async function decide(
  db: Queryable,
  options: SignInOptions & { readonly source: Source; readonly provenHash: string | undefined },
  { login, code }: SignInRequest,
  now: Date,
): Promise<Checked> {
  const { name: source, isStranger } = options.source;
  // One after the other, so that guesses whose passwords were hashed at the same time are counted.
  // Unknown names wait like known ones.
  const all = isStranger ? await lockFailures(db, login, null, now) : undefined;
  const own = await lockFailures(db, login, source, now);
  const seconds = Math.max(
    secondsToWait(own, now),
    all === undefined ? 0 : secondsToWaitAsStranger(all, now),
  );
  if (seconds > 0) return { kind: 'wait', seconds };
  const person = await findCredentials(db, login);
  // The password may have been replaced meanwhile.
  const isRight = person !== undefined && person.passwordHash === options.provenHash;
  const checked: Checked =
    isRight && person.status === 'active' && isAuthentic(person, options.ledgerMac)
      ? checkCode(options, person, { code, now })
      : { kind: 'failed' };
  const step = checked.kind === 'done' ? checked.codeStep : null;
  const isRepeat = person !== undefined && step !== null && !(await useCode(db, person, step));
  const result: Checked = isRepeat ? { kind: 'failed' } : checked;
  if (result.kind === 'failed') {
    const failed = { failedCount: own.failedCount + 1, failedAt: now };
    await setFailures(db, login, source, failed);
    if (all !== undefined) await addStrangersFailure(db, login, remembered(all, now));
  }
  if (result.kind === 'done') {
    await deleteFailures(db, login, source);
    if (result.codeStep !== null) await setCodeStep(db, result.personId, result.codeStep);
  }
  return result;
}

/** False: the code was used before, whatever the person's row says. */
export async function useCode(
  db: Queryable,
  person: Pick<CredentialsRow, 'personId' | 'credentialsAt'>,
  step: bigint,
): Promise<boolean> {
  const id = `${person.personId} ${credentialsText(person)} ${step}`;
  return await insertEnded(db, 'code', id);
}

async function addStrangersFailure(
  db: Queryable,
  login: string,
  { failedCount, failedAt }: FailuresRow,
): Promise<void> {
  await setFailures(db, login, null, { failedCount: failedCount + 1, failedAt });
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
