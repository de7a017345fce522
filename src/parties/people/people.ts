import { Refusal } from '../../platform/base/errors.ts';
import type { Mac } from '../../platform/base/mac.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { isAuthentic } from './authenticity.ts';
import { findPerson, listPeople } from './read-people.ts';
import type { PersonRow } from './read-people.ts';

/** A person without secrets. */
export interface ShownPerson extends Pick<
  PersonRow,
  'login' | 'name' | 'role' | 'vid' | 'status' | 'createdAt' | 'waitsFor'
> {
  readonly signsInWith: 'invited' | 'password' | 'password and code';
  /** Changed in the database, not by the service: cannot sign in. Null: nobody knows without a master key. */
  readonly isAltered: boolean | null;
}

/** Everybody, or the people of a vendor. */
export async function readPeople(
  db: Queryable,
  { vendorId, mac }: { readonly vendorId: number | undefined; readonly mac: Mac | undefined },
): Promise<ShownPerson[]> {
  return (await listPeople(db, vendorId)).map((row) => shownPerson(row, mac));
}

/** Throws: `not_found`, also for a person who is not of the vendor. */
export async function readPerson(
  db: Queryable,
  login: string,
  { vendorId, mac }: Parameters<typeof readPeople>[1],
): Promise<ShownPerson> {
  const person = await findPerson(db, login);
  const isVisible = vendorId === undefined || person?.vendorId === vendorId;
  if (person !== undefined && isVisible) return shownPerson(person, mac);
  throw new Refusal('not_found', { text: `There is no person ${login}.` });
}

function shownPerson(row: PersonRow, mac: Mac | undefined): ShownPerson {
  const { login, name, role, vid, status, createdAt, waitsFor, hasPassword, hasCodes } = row;
  return {
    ...{ login, name, role, vid, status },
    signsInWith: hasPassword ? (hasCodes ? 'password and code' : 'password') : 'invited',
    createdAt,
    isAltered: mac === undefined ? null : !isAuthentic(row, mac),
    waitsFor,
  };
}
