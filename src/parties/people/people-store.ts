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
  /** Whether nobody had to confirm the person at any time. */
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

/** A person with the credentials that a sign-in is checked against. */
export interface CredentialsRow extends SignedPerson {
  masterKeyId: string | null;
  codeSecret: Buffer | null;
  codeStep: bigint | null;
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

/** Locked until the database transaction ends, so that nobody changes the person's role meanwhile. */
export async function lockActing(
  db: Queryable,
  personId: string,
): Promise<SignedPerson | undefined> {
  const locked = await db.query<SignedPerson>(
    `select ${SIGNED_COLUMNS} from people p where p.person_id = $1 for share`,
    [personId],
  );
  return locked.rows[0];
}

/** False if the login exists. */
export async function insertPerson(
  db: Queryable,
  person: {
    readonly personId: string;
    readonly login: string;
    readonly name: string;
    readonly role: Role;
    readonly vendorId: number | null;
    readonly createdAt: Date;
  },
): Promise<boolean> {
  const inserted = await db.query(
    `insert into people (person_id, login, name, role, vendor_id, created_at)
     values ($1, $2, $3, $4, $5, $6) on conflict (login) do nothing`,
    [person.personId, person.login, person.name, person.role, person.vendorId, person.createdAt],
  );
  return inserted.rowCount === 1;
}

/** Changes what is given; the rest stays. False if the person does not exist. */
export async function updatePerson(
  db: Queryable,
  login: string,
  change: {
    readonly name?: string | undefined;
    readonly role?: Role | undefined;
    readonly status?: 'active' | 'disabled' | undefined;
  },
): Promise<boolean> {
  const updated = await db.query(
    `update people set name = coalesce($2, name), role = coalesce($3, role),
       status = coalesce($4, status)
     where login = $1`,
    [login, change.name ?? null, change.role ?? null, change.status ?? null],
  );
  return updated.rowCount === 1;
}

export async function findCredentials(
  db: Queryable,
  login: string,
): Promise<CredentialsRow | undefined> {
  const found = await db.query<CredentialsRow>(
    `select ${SIGNED_COLUMNS}, p.master_key_id as "masterKeyId", p.code_secret as "codeSecret",
       p.code_step as "codeStep"
     from people p where p.login = $1`,
    [login],
  );
  return found.rows[0];
}

/** Records the step of an accepted code, so that it is not accepted again. */
export async function setCodeStep(
  db: Queryable,
  personId: string,
  codeStep: bigint,
): Promise<void> {
  await db.query('update people set code_step = $2 where person_id = $1', [personId, codeStep]);
}

/** Replaces the person's credentials; `codes` null: signs in without one-time codes. */
export async function setCredentials(
  db: Queryable,
  personId: string,
  credentials: {
    readonly passwordHash: string;
    readonly codes: { readonly masterKeyId: string; readonly secret: Buffer } | null;
    readonly codeStep: bigint | null;
    readonly at: Date;
    /** The proposal that confirms the person; null: nobody has to. */
    readonly waitsFor: string | null;
  },
): Promise<void> {
  await db.query(
    `update people set password_hash = $2, master_key_id = $3, code_secret = $4, code_step = $5,
       credentials_at = $6, waits_for = $7,
       was_confirmed = was_confirmed or $7::uuid is null
     where person_id = $1`,
    [
      personId,
      credentials.passwordHash,
      credentials.codes?.masterKeyId ?? null,
      credentials.codes?.secret ?? null,
      credentials.codeStep,
      credentials.at,
      credentials.waitsFor,
    ],
  );
}

/** Sets the proposal that confirms the person; null: the person is confirmed. */
export async function setWaitsFor(
  db: Queryable,
  personId: string,
  waitsFor: string | null,
): Promise<void> {
  await db.query(
    `update people set waits_for = $2, was_confirmed = was_confirmed or $2::uuid is null
     where person_id = $1`,
    [personId, waitsFor],
  );
}

/** Removes the person's password and codes. Only links that are made from now on are valid. */
export async function removeCredentials(db: Queryable, personId: string): Promise<void> {
  await db.query(
    `update people set password_hash = null, master_key_id = null, code_secret = null,
       credentials_at = now(), waits_for = null
     where person_id = $1`,
    [personId],
  );
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

/** @param by the id of somebody else who is locked as well, in the order of ids. */
export async function lockSigned(
  db: Queryable,
  login: string,
  by: string | null = null,
): Promise<SignedPerson | undefined> {
  const locked = await db.query<SignedPerson>(
    `select ${SIGNED_COLUMNS} from people p
     where p.login = $1 or p.person_id = $2 order by p.person_id for update`,
    [login, by],
  );
  return locked.rows.find((person) => person.login === login);
}

export async function listSigned(db: Queryable): Promise<SignedPerson[]> {
  const listed = await db.query<SignedPerson>(
    `select ${SIGNED_COLUMNS} from people p order by p.login`,
  );
  return listed.rows;
}

export async function setPersonMac(
  db: Queryable,
  { personId, version }: Pick<SignedPerson, 'personId' | 'version'>,
  mac: Buffer,
): Promise<void> {
  await db.query('update people set mac = $2, version = $3 where person_id = $1', [
    personId,
    mac,
    version,
  ]);
}

/** A stored secret of one-time codes, sealed. */
export interface CodeSecretRow {
  personId: string;
  masterKeyId: string;
  codeSecret: Buffer;
}

/** Locked, so that nobody sets up codes at the same time. */
export async function lockCodeSecrets(db: Queryable): Promise<CodeSecretRow[]> {
  const locked = await db.query<CodeSecretRow>(
    `select person_id as "personId", coalesce(master_key_id, '') as "masterKeyId",
       coalesce(code_secret, '') as "codeSecret"
     from people where code_secret is not null order by person_id for update`,
  );
  return locked.rows;
}

/** Stores the secret sealed under another master key. */
export async function updateCodeSecret(
  db: Queryable,
  personId: string,
  sealed: { readonly masterKeyId: string; readonly bytes: Buffer },
): Promise<void> {
  await db.query('update people set master_key_id = $2, code_secret = $3 where person_id = $1', [
    personId,
    sealed.masterKeyId,
    sealed.bytes,
  ]);
}
