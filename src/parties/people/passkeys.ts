import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { Refusal } from '../../platform/base/errors.ts';
import type { Mac } from '../../platform/base/mac.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { databaseTransaction } from '../../platform/db/pool.ts';
import type { Pool } from '../../platform/db/pool.ts';
import {
  deletePasskey,
  insertChallenge,
  insertPasskey,
  notePasskeyUse,
  takeChallenge,
} from './passkeys-store.ts';
import { findPasskey, listPasskeys } from './read-passkeys.ts';
import type { PasskeyOwnerRow, PasskeyRow } from './read-passkeys.ts';
import { credentialsText, isAuthentic } from './authenticity.ts';
import { findSigned } from './read-people.ts';
import type { RelyingParty } from './relying-party.ts';

// '@simplewebauthn/server' is slow to load, and few processes need it: it is loaded when it is used.

/** Time that the person has at the device. */
const CHALLENGE_MS = 5 * 60 * 1000;
const MAX_PASSKEYS = 20;
const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const;
/** Algorithms that devices sign with: EdDSA, ES256, RS256. */
const ALGORITHMS = [-8, -7, -257];

export interface PasskeyDeps {
  readonly pool: Pool;
  readonly party: RelyingParty;
  /** The ledger's key. Nobody can add a passkey, or choose a challenge, by writing to the database. */
  readonly ledgerMac: Mac;
}

interface Person {
  readonly personId: string;
  readonly login: string;
  readonly name: string;
}

/** Returns the browser's request to the device. Throws: `PlainError` if the person has too many. */
export async function beginPasskey(
  deps: PasskeyDeps,
  person: Person,
  now: Date,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { pool, party } = deps;
  const existing = await listPasskeys(pool, person.personId);
  if (existing.length >= MAX_PASSKEYS) {
    throw new PlainError(`You have ${MAX_PASSKEYS} passkeys. Remove one first.`);
  }
  const { generateRegistrationOptions } = await import('@simplewebauthn/server');
  const options = await generateRegistrationOptions({
    rpName: 'Malipo',
    rpID: party.id,
    userName: person.login,
    userDisplayName: person.name,
    userID: new TextEncoder().encode(person.personId),
    timeout: CHALLENGE_MS,
    supportedAlgorithmIDs: ALGORITHMS,
    excludeCredentials: existing.map(({ credentialId: id, transports }) => ({ id, transports })),
    // Found without a name, and with the device's own PIN or fingerprint: two factors in one.
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
  await keepChallenge(deps, { text: options.challenge, personId: person.personId, now });
  return options;
}

/** Keeps what the device made. Throws: `invalid_field` on `response`. */
export async function addPasskey(
  deps: PasskeyDeps,
  person: Pick<Person, 'personId'>,
  made: { readonly response: unknown; readonly name: string; readonly now: Date },
): Promise<PasskeyRow> {
  const { pool, party, ledgerMac } = deps;
  const { personId } = person;
  const take = (text: string) => useChallenge(deps, { text, personId, now: made.now });
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  const verified = await verifiedBy(take, notValid, async (expectedChallenge) =>
    verifyRegistrationResponse({
      response: made.response as RegistrationResponseJSON,
      expectedChallenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    }),
  );
  const { credential } = verified.registrationInfo ?? {};
  const owner = await findSigned(pool, personId);
  if (credential === undefined || owner === undefined) throw notValid();
  const device = {
    credentialId: credential.id,
    personId,
    publicKey: Buffer.from(credential.publicKey),
  };
  const key = {
    ...device,
    mac: ledgerMac.sign(passkeyText({ ...device, credentialsAt: owner.credentialsAt })),
    signCount: BigInt(credential.counter),
    // The device does not sign these.
    transports: TRANSPORTS.filter((one) => [credential.transports].flat().includes(one)),
    name: made.name,
    createdAt: made.now,
  };
  if (!(await insertPasskey(pool, key))) throw invalid('This passkey is registered already');
  return { ...key, usedAt: null };
}

/** Returns the browser's request to the device. Nothing in it depends on who signs in. */
export async function beginPasskeySignIn(
  deps: PasskeyDeps,
  now: Date,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await import('@simplewebauthn/server');
  const options = await generateAuthenticationOptions({
    rpID: deps.party.id,
    timeout: CHALLENGE_MS,
    userVerification: 'required',
  });
  await keepChallenge(deps, { text: options.challenge, personId: null, now });
  return options;
}

/** Text of a passkey's authentication code. */
function passkeyText(
  key: Pick<PasskeyOwnerRow, 'credentialId' | 'personId' | 'publicKey' | 'credentialsAt'>,
): string {
  return JSON.stringify([
    'passkeys',
    key.credentialId,
    key.personId,
    key.publicKey.toString('base64'),
    credentialsText(key),
  ]);
}

/** Returns who signs in. Throws: `sign_in_failed`, and what the database throws. */
export async function checkPasskey(
  deps: PasskeyDeps,
  given: { readonly id: string },
  now: Date,
): Promise<{ readonly personId: string; readonly login: string }> {
  const { pool, party, ledgerMac } = deps;
  const response = given as AuthenticationResponseJSON;
  const key = await findPasskey(pool, response.id);
  if (key === undefined) throw new Refusal('sign_in_failed');
  if (!ledgerMac.verify(passkeyText(key), key.mac) || !isAuthentic(key, ledgerMac)) {
    throw new Refusal('sign_in_failed');
  }
  const { credentialId: id, publicKey, signCount } = key;
  // The challenge is used up even if the rest fails.
  const take = (text: string) => useChallenge(deps, { text, personId: null, now });
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  const { verified, authenticationInfo } = await verifiedBy(
    take,
    (cause) => new Refusal('sign_in_failed', { cause }),
    async (expectedChallenge) =>
      verifyAuthenticationResponse({
        response,
        expectedChallenge,
        expectedOrigin: party.origin,
        expectedRPID: party.id,
        requireUserVerification: true,
        credential: { id, publicKey: new Uint8Array(publicKey), counter: Number(signCount) },
      }),
  );
  const use = { signCount: BigInt(authenticationInfo.newCounter), at: now };
  if (verified && (await notePasskeyUse(pool, id, use))) {
    return { personId: key.personId, login: key.login };
  }
  throw new Refusal('sign_in_failed');
}

async function keepChallenge(
  { pool, ledgerMac }: PasskeyDeps,
  challenge: { readonly text: string; readonly personId: string | null; readonly now: Date },
): Promise<void> {
  const expiresAt = new Date(challenge.now.getTime() + CHALLENGE_MS);
  const mac = ledgerMac.sign(challengeText({ ...challenge, expiresAt }));
  await insertChallenge(pool, { ...challenge, expiresAt, mac });
}

/** Uses a challenge up. False if the service did not issue it, or it was used before or has expired. */
async function useChallenge(
  { pool, ledgerMac }: PasskeyDeps,
  challenge: { readonly text: string; readonly personId: string | null; readonly now: Date },
): Promise<boolean> {
  const taken = await takeChallenge(pool, challenge);
  if (taken === undefined) return false;
  return ledgerMac.verify(challengeText({ ...challenge, ...taken }), taken.mac);
}

/** Text of a challenge's authentication code. */
function challengeText(challenge: {
  readonly text: string;
  readonly personId: string | null;
  readonly expiresAt: Date;
}): string {
  const { text, personId, expiresAt } = challenge;
  return JSON.stringify(['passkey_challenges', text, personId, Number(expiresAt)]);
}

/**
 * Returns the library's result of a verification. It throws for everything that does not fit, which is
 * a refusal; that the challenge could not be read is a failure of the database.
 */
async function verifiedBy<Result>(
  take: (challenge: string) => Promise<boolean>,
  refusal: (cause: unknown) => Refusal,
  verify: (expectedChallenge: (challenge: string) => Promise<boolean>) => Promise<Result>,
): Promise<Result> {
  const failures: unknown[] = [];
  const expectedChallenge = async (challenge: string): Promise<boolean> => {
    try {
      return await take(challenge);
    } catch (error) {
      failures.push(error);
      throw error;
    }
  };
  try {
    return await verify(expectedChallenge);
  } catch (cause) {
    throw failures.length > 0 ? failures[0] : refusal(cause);
  }
}

function notValid(cause?: unknown): Refusal {
  return invalid('The device’s answer is not valid', cause);
}

function invalid(text: string, cause?: unknown): Refusal {
  return new Refusal('invalid_field', { field: 'response', text, cause });
}

/** Removes the person's passkey for good. Throws: `not_found`. */
export async function removePasskey(
  pool: Pool,
  personId: string,
  credentialId: string,
): Promise<void> {
  const isRemoved = await databaseTransaction(pool, async (db) =>
    deletePasskey(db, personId, credentialId),
  );
  if (!isRemoved) throw new Refusal('not_found');
}
