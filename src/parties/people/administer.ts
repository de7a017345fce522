import { newId } from '../../platform/base/ids.ts';
import { LIMITS } from '../../platform/base/limits.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { repeatableTransaction } from '../../platform/db/pool.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { lockVendor } from '../store.ts';
import { findVendor } from '../read-vendors.ts';
import type { VendorRow } from '../read-vendors.ts';
import { alteredPerson, lockPerson, signPerson } from './authenticity.ts';
import type { PeopleDeps, ProposeConfirmation } from './authenticity.ts';
import { deletePasskeysOf } from './passkeys-store.ts';
import { insertPerson, removeCredentials, setWaitsFor, updatePerson } from './people-store.ts';
import { countPeople, findSigned } from './read-people.ts';
import type { SignedPerson } from './read-people.ts';
import { isVendorRole } from './roles.ts';
import type { Role } from './roles.ts';
import { loginFrom, vendorOf } from './login.ts';
import { endLinksOf } from './links-store.ts';
import { deleteSessionsOf } from './sessions-store.ts';
import { endTokensOf } from './tokens-store.ts';

export interface NewPerson {
  readonly login: string;
  readonly name: string;
  readonly role: Role;
  /** Required for a vendor's role, and only for these. */
  readonly vid?: string | undefined;
}

/** Adds a person, who cannot sign in before using a link. Throws: `PlainError`. */
export async function addPerson(
  { pool, ...deps }: PeopleDeps,
  person: NewPerson,
  now: Date,
): Promise<string> {
  return await repeatableTransaction(pool, async (db) => await addPersonIn(db, deps, person, now));
}

/** Adds a person in the caller's database transaction. */
export async function addPersonIn(
  db: Queryable,
  { ledgerMac, tell }: Pick<PeopleDeps, 'ledgerMac' | 'tell'>,
  person: NewPerson,
  now: Date,
): Promise<string> {
  const login = loginFrom(person.login);
  if (isVendorRole(person.role) !== (person.vid !== undefined)) {
    throw new PlainError(
      isVendorRole(person.role)
        ? `The role ${person.role} needs a vendor.`
        : `The role ${person.role} is for staff, who belong to no vendor.`,
      { field: 'vid' },
    );
  }
  const vendor = person.vid === undefined ? undefined : await findVendor(db, person.vid);
  if (person.vid !== undefined && vendor === undefined) {
    throw new PlainError(`There is no vendor ${person.vid}.`, { field: 'vid' });
  }
  const named = vendorOf(login);
  if (named !== undefined && named !== vendor?.vid.toLowerCase()) {
    throw new PlainError(`Only logins of the people of ${named} begin with ${named}:`, {
      field: 'login',
    });
  }
  if (vendor !== undefined) await requireRoom(db, vendor);
  const personId = newId();
  const { name, role } = person;
  const vendorId = vendor?.vendorId ?? null;
  if (!(await insertPerson(db, { personId, login, name, role, vendorId, createdAt: now }))) {
    throw new PlainError(`${login} exists already.`, { field: 'login' });
  }
  await signPerson(db, personId, ledgerMac);
  if (vendorId !== null) await tell?.(db, vendorId, { change: 'person_invited', login });
  return personId;
}

/**
 * People are never removed, and each of them may send requests, so a vendor's administrator must not add
 * people without end. Throws: `PlainError`.
 */
async function requireRoom(db: Queryable, { vendorId, vid }: VendorRow): Promise<void> {
  // One after the other, so that none is added beyond the limit at the same time.
  await lockVendor(db, vendorId);
  const max = LIMITS.peoplePerVendor;
  if ((await countPeople(db, vendorId)) < max) return;
  throw new PlainError(
    `${vid} has ${max} people, which is the maximum. People who are disabled count: enable one of them instead.`,
    { field: 'vid' },
  );
}

/**
 * Changes a person. A person whose role or status changes is signed out everywhere. Somebody who was changed in
 * the database can be disabled, or be given a role and then needs a new link.
 * What `deps.confirm` proposes is confirmed by somebody else: a person who was invited as something harmless must not
 * become more by the same hand.
 * Throws: `PlainError`.
 */
export async function changePerson(
  { pool, ledgerMac, tell, confirm, by }: PeopleDeps,
  login: string,
  change: {
    readonly name?: string | undefined;
    readonly role?: Role | undefined;
    readonly status?: 'active' | 'disabled' | undefined;
  },
): Promise<void> {
  await repeatableTransaction(pool, async (db) => {
    const person = await lockPerson(db, login, ledgerMac, by);
    if (person === undefined) throw new PlainError(`There is no person ${login}.`);
    const isSigned = person.isAuthentic || change.role !== undefined;
    if (!isSigned && change.status !== 'disabled') throw alteredPerson(login);
    if (change.role !== undefined && isVendorRole(change.role) !== (person.vendorId !== null)) {
      throw new PlainError(`The role ${change.role} does not fit ${login}.`, { field: 'role' });
    }
    await updatePerson(db, login, change);
    if (person.isAuthentic) await awaitConfirmation(db, person, confirm);
    if (isSigned && !person.isAuthentic) {
      await removeCredentials(db, person.personId);
      await deletePasskeysOf(db, person.personId);
    }
    if (isSigned) await signPerson(db, person.personId, ledgerMac);
    if (change.role !== undefined || change.status !== undefined) {
      await deleteSessionsOf(db, person.personId);
    }
    if (change.status === 'disabled') await endTokensOf(db, person.personId);
    const { vendorId } = person;
    if (vendorId !== null) await tell?.(db, vendorId, { change: 'person_changed', login });
  });
}

/** Somebody else confirms another role, and another name of somebody who waits. */
async function awaitConfirmation(
  db: Queryable,
  { personId, role, name, waitsFor }: SignedPerson,
  confirm: ProposeConfirmation | undefined,
): Promise<void> {
  const person = await findSigned(db, personId);
  const isNew = person?.role !== role || (waitsFor !== null && person.name !== name);
  if (person === undefined || confirm === undefined || !isNew) return;
  const confirmation = await confirm(db, person, 'change');
  await setWaitsFor(db, personId, confirmation.waitsFor);
  // Made by somebody who saw another person.
  await endLinksOf(db, personId, confirmation.at);
}
