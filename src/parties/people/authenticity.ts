import type { Mac } from '../../platform/base/mac.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import { insertEnded } from './ended-store.ts';
import { lockSigned, setPersonMac } from './people-store.ts';
import { findSigned, listSigned } from './read-people.ts';
import type { SignedPerson } from './read-people.ts';

/** To change people, and what they sign in with. */
export interface PeopleDeps {
  readonly pool: Pool;
  /** The ledger's key. Rows that are written to the database without it let nobody in. */
  readonly ledgerMac: Mac;
  /** Tells a vendor what staff do with its people, in the same commit. Undefined: the vendor does it itself. */
  readonly tell?: TellVendor | undefined;
  /**
   * Proposes that another person confirms this one. Undefined: nobody has to, because a vendor's administrator
   * vouches for the vendor's own people.
   */
  readonly confirm?: ProposeConfirmation | undefined;
  /** The id of who acts, if that is to be locked as well: in one order, because two may change each other. */
  readonly by?: string | null | undefined;
}

/**
 * In the same commit as what is to be confirmed.
 * @param why a link, with which the maker could sign in; or what the person is, which has just been changed.
 * Throws: `PlainError` if it may not be proposed.
 */
export type ProposeConfirmation = (
  db: Queryable,
  person: SignedPerson,
  why: 'link' | 'change',
) => Promise<{
  /** The proposal; null: there is no second person. */
  readonly waitsFor: string | null;
  readonly at: Date;
}>;

export type PersonChange =
  | 'person_invited'
  | 'person_linked'
  | 'person_changed'
  | 'person_confirmed';

export type TellVendor = (
  db: Queryable,
  vendorId: number,
  told: { readonly change: PersonChange; readonly login: string },
) => Promise<void>;

/** Text of a person's authentication code. */
function personText(person: Omit<SignedPerson, 'personMac' | 'isFormer'>): string {
  return JSON.stringify([
    'people',
    person.personId,
    person.login,
    person.vendorId,
    person.role,
    person.status,
    person.passwordHash,
    person.waitsFor,
    credentialsText(person),
    person.version,
    person.name,
    person.wasConfirmed,
  ]);
}

/**
 * When the password was chosen, for the codes of what the person signs in with: links, passkeys and sessions
 * of the time before are not valid any more, even if somebody puts them back. A number, because `infinity`
 * has no ISO form.
 */
export function credentialsText({
  credentialsAt,
}: Pick<SignedPerson, 'credentialsAt'>): string | null {
  return credentialsAt === null ? null : String(Number(credentialsAt));
}

/** True if the service itself made the person's row, and the row is not a former one. */
export function isAuthentic(person: SignedPerson, mac: Mac): boolean {
  return !person.isFormer && mac.verify(personText(person), person.personMac);
}

/** After each change of a person, in the same database transaction. */
export async function signPerson(db: Queryable, personId: string, mac: Mac): Promise<void> {
  const person = await findSigned(db, personId);
  if (person === undefined) throw new Error(`there is no person ${personId}`);
  const { personMac } = person;
  // With the person, whose row may have got somebody else's code.
  const former = `${personId} ${personMac?.toString('hex')}`;
  if (personMac !== null) await insertEnded(db, 'person', former);
  const signed = { ...person, version: person.version + 1 };
  await setPersonMac(db, signed, mac.sign(personText(signed)));
}

/** Before a change. Locks the person, and whoever acts. Undefined: nobody has the login. */
export async function lockPerson(
  db: Queryable,
  login: string,
  mac: Mac,
  by?: string | null,
): Promise<(SignedPerson & { readonly isAuthentic: boolean }) | undefined> {
  const person = await lockSigned(db, login, by);
  return person && { ...person, isAuthentic: isAuthentic(person, mac) };
}

export function alteredPerson(login: string): PlainError {
  return new PlainError(
    `${login} was changed in the database, not by the service. Set the role of ${login}; then ${login} needs a new link.`,
  );
}

/** The rule of `ledger check` that finds people whose rows the service did not make. */
export const PEOPLE_AUTHENTIC = {
  name: 'people_authentic',
  says: 'Every person who may sign in to the console, with role and password, is as the service recorded it: it has a valid authentication code.',
  find: async (db: Queryable, mac: Mac): Promise<string[]> => {
    const people = await listSigned(db);
    return people
      .filter((person) => !isAuthentic(person, mac))
      .map(({ login }) => `${login}: was changed in the database, or not added by the service`);
  },
} as const;
