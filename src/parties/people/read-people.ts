import type { Queryable } from '../../platform/db/pool.ts';
import { hasEnded } from './ended-store.ts';
import type { Role } from './roles.ts';

/** A person with the fields that the authentication code covers, and the code. */
export interface SignedPerson {
  personId: string;
  login: string;
  name: string;
  vendorId: number | null;
  role: Role;
  status: 'active' | 'disabled';
  passwordHash: string | null;
  /** The proposal that somebody has to approve before the person sees or changes anything; null: confirmed. */
  waitsFor: string | null;
  /** True from the first time on that nobody has to confirm the person. */
  wasConfirmed: boolean;
  /** When the password was chosen, or removed; null: not yet. */
  credentialsAt: Date | null;
  /** Grows with each change. */
  version: number;
  /** Null: the service has not added the person. */
  personMac: Buffer | null;
  /** True: the row is a former one of the person, which somebody has put back. */
  isFormer: boolean;
}

export interface PersonRow extends SignedPerson {
  vid: string | null;
  createdAt: Date;
  /** False until the person has used an invitation. */
  hasPassword: boolean;
  hasCodes: boolean;
}

/** Columns of `people p`. */
export const SIGNED_COLUMNS = `p.person_id as "personId", p.login, p.name, p.vendor_id as "vendorId",
  p.role, p.status, p.password_hash as "passwordHash", p.waits_for as "waitsFor", p.was_confirmed as "wasConfirmed",
  p.credentials_at as "credentialsAt", p.version, p.mac as "personMac",
  ${hasEnded('person', `p.person_id || ' ' || encode(p.mac, 'hex')`)} as "isFormer"`;

const COLUMNS = `${SIGNED_COLUMNS}, v.vid, p.created_at as "createdAt",
  p.password_hash is not null as "hasPassword", p.code_secret is not null as "hasCodes"`;

const PEOPLE = `people p left join vendors v on v.vendor_id = p.vendor_id`;

/** @param vendorId the people of one vendor; undefined: everybody. */
export async function listPeople(db: Queryable, vendorId?: number): Promise<PersonRow[]> {
  const listed = await db.query<PersonRow>(
    `select ${COLUMNS} from ${PEOPLE}
     where $1::integer is null or p.vendor_id = $1
     order by p.vendor_id nulls first, p.login`,
    [vendorId ?? null],
  );
  return listed.rows;
}

export async function hasPeople(db: Queryable): Promise<boolean> {
  return (await db.query('select from people limit 1')).rowCount === 1;
}

/** Counts a vendor's people, including those who are disabled. */
export async function countPeople(db: Queryable, vendorId: number): Promise<number> {
  const counted = await db.query<{ count: number }>(
    'select count(*)::integer as count from people where vendor_id = $1',
    [vendorId],
  );
  return counted.rows[0]?.count ?? 0;
}

export async function findPerson(db: Queryable, login: string): Promise<PersonRow | undefined> {
  const found = await db.query<PersonRow>(
    `select ${COLUMNS} from ${PEOPLE}
     where p.login = $1`,
    [login],
  );
  return found.rows[0];
}

/**
 * True if members of staff sign in with one-time codes, as they do outside the sandbox. Those who were
 * disabled count, or somebody could disable all of them to decide under two names.
 */
export async function hasStaffWithCodes(db: Queryable): Promise<boolean> {
  const found = await db.query(
    `select 1 from people
     where vendor_id is null and code_secret is not null limit 1`,
  );
  return found.rowCount === 1;
}

/** Members of staff who have ever signed in and been confirmed, also those who were disabled or need a new link. */
export async function countStaff(db: Queryable): Promise<number> {
  const counted = await db.query<{ count: number }>(
    `select count(*)::integer as count from people where vendor_id is null and credentials_at is not null and was_confirmed`,
  );
  return counted.rows[0]?.count ?? 0;
}

/** True if another administrator may act: active, signed in once, and confirmed. */
export async function hasOtherAdministrator(db: Queryable, login: string): Promise<boolean> {
  const found = await db.query(
    `select from people
     where login <> $1 and role = 'administrator' and status = 'active' and waits_for is null
       and password_hash is not null limit 1`,
    [login],
  );
  return found.rowCount === 1;
}

export async function findSigned(
  db: Queryable,
  personId: string,
): Promise<SignedPerson | undefined> {
  const found = await db.query<SignedPerson>(
    `select ${SIGNED_COLUMNS} from people p where p.person_id = $1`,
    [personId],
  );
  return found.rows[0];
}

export async function listSigned(db: Queryable): Promise<SignedPerson[]> {
  const listed = await db.query<SignedPerson>(
    `select ${SIGNED_COLUMNS} from people p order by p.login`,
  );
  return listed.rows;
}
