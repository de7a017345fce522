import { newId } from '../../platform/base/ids.ts';
import { LIMITS } from '../../platform/base/limits.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { databaseTransaction } from '../../platform/db/pool.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { findVendor, lockVendor } from '../store.ts';
import type { VendorRow } from '../store.ts';
import { alteredPerson, lockPerson, signPerson } from './authenticity.ts';
import type { PeopleDeps } from './authenticity.ts';
import { deletePasskeysOf } from './passkeys-store.ts';
import {
  countPeople,
  insertPerson,
  removeCredentials,
  setConfirmed,
  setLinkBy,
  updatePerson,
} from './people-store.ts';
import type { SignedPerson } from './people-store.ts';
import { isVendorRole } from './roles.ts';
import type { Role } from './roles.ts';
import { loginFrom, vendorOf } from './login.ts';
import { endLinksOf } from './links-store.ts';
import { deleteSessionsOf } from './sessions-store.ts';

export interface NewPerson {
  readonly login: string;
  readonly name: string;
  readonly role: Role;
  /** Required for a vendor's role, and only for these. */
  readonly vid?: string | undefined;
}

/** Adds a person, who cannot sign in before using a link. Throws: `PlainError`. */
export async function addPerson(
  { pool, ledgerMac, tell }: PeopleDeps,
  person: NewPerson,
  now: Date,
): Promise<string> {
  const login = loginFrom(person.login);
  return await databaseTransaction(pool, async (db) => {
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
  });
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
 * @param by the member of staff who changes the person in the console: a person whom this one invited as something
 * harmless must not become more by the same hand, so somebody else confirms the new role. Undefined: the
 * command line, or the vendor's own administrator.
 * Throws: `PlainError`.
 */
export async function changePerson(
  { pool, ledgerMac, tell }: PeopleDeps,
  login: string,
  change: {
    readonly name?: string | undefined;
    readonly role?: Role | undefined;
    readonly status?: 'active' | 'disabled' | undefined;
  },
  by?: { readonly personId: string; readonly now: Date },
): Promise<void> {
  await databaseTransaction(pool, async (db) => {
    const person = await lockPerson(db, login, ledgerMac);
    if (person === undefined) throw new PlainError(`There is no person ${login}.`);
    const isSigned = person.isAuthentic || change.role !== undefined;
    if (!isSigned && change.status !== 'disabled') throw alteredPerson(login);
    if (change.role !== undefined && isVendorRole(change.role) !== (person.vendorId !== null)) {
      throw new PlainError(`The role ${change.role} does not fit ${login}.`, { field: 'role' });
    }
    const hasNewRole = change.role !== undefined && change.role !== person.role;
    await updatePerson(db, login, change);
    if (hasNewRole && person.isAuthentic && by !== undefined)
      await awaitConfirmation(db, person, by);
    if (isSigned && !person.isAuthentic) {
      await removeCredentials(db, person.personId);
      await deletePasskeysOf(db, person.personId);
    }
    if (isSigned) await signPerson(db, person.personId, ledgerMac);
    if (change.role !== undefined || change.status !== undefined) {
      await deleteSessionsOf(db, person.personId);
    }
    const { vendorId } = person;
    if (vendorId !== null) await tell?.(db, vendorId, { change: 'person_changed', login });
  });
}

/** Throws: `PlainError` if the person waits for the confirmation of what somebody else did. */
async function awaitConfirmation(
  db: Queryable,
  { personId, login, linkBy }: SignedPerson,
  by: { readonly personId: string; readonly now: Date },
): Promise<void> {
  if (linkBy !== null && linkBy !== by.personId) {
    throw new PlainError(`${login} has to be confirmed before the role can be changed.`, {
      field: 'role',
    });
  }
  await setLinkBy(db, personId, by.personId);
  // Made by somebody who saw another role.
  await endLinksOf(db, personId, by.now);
}

/**
 * Confirms, for another administrator than the one who made the link or changed the role, that the person used it.
 * Throws: `PlainError` if somebody else has to, or the person has used another link since.
 */
export async function confirmPerson(
  { pool, ledgerMac, tell }: PeopleDeps,
  login: string,
  {
    seen,
    by,
  }: {
    /** The person as the administrator has seen it. */
    readonly seen: {
      /** When the password was chosen. */
      readonly credentialsAt: Date;
      readonly role: Role;
    };
    /** The administrator's id. */
    readonly by: string;
  },
): Promise<void> {
  await databaseTransaction(pool, async (db) => {
    const person = await lockPerson(db, login, ledgerMac);
    if (person === undefined) throw new PlainError(`There is no person ${login}.`);
    if (!person.isAuthentic) throw alteredPerson(login);
    if (person.linkBy === null) throw new PlainError(`${login} needs no confirmation.`);
    if (person.linkBy === by) {
      throw new PlainError(
        'You made the link or changed the role, so another administrator has to confirm the person.',
      );
    }
    if (seen.role !== person.role) {
      throw new PlainError(`${login} was given another role since then. Check again.`);
    }
    if (person.personId === by) throw new PlainError('Another administrator has to confirm you.');
    if (!(await setConfirmed(db, { login, by, credentialsAt: seen.credentialsAt }))) {
      throw new PlainError(`${login} has used another link since then. Check again.`);
    }
    await signPerson(db, person.personId, ledgerMac);
    const { vendorId } = person;
    if (vendorId !== null) await tell?.(db, vendorId, { change: 'person_confirmed', login });
  });
}
