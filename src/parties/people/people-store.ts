import type { Queryable } from '../../platform/db/pool.ts';
import type { Role } from './roles.ts';

export interface PersonRow {
  personId: string;
  login: string;
  name: string;
  role: Role;
  vendorId: number | null;
  vid: string | null;
  status: 'active' | 'disabled';
  createdAt: Date;
  /** False until the person has used an invitation. */
  hasPassword: boolean;
  hasCodes: boolean;
  /** When the password was chosen; null: not yet. */
  credentialsAt: Date | null;
  /** Who made the link that it was chosen with, until somebody else has confirmed the person. */
  linkBy: string | null;
  linkByLogin: string | null;
}

/** What a sign-in is checked against. */
export interface CredentialsRow {
  personId: string;
  login: string;
  status: 'active' | 'disabled';
  passwordHash: string | null;
  masterKeyId: string | null;
  codeSecret: Buffer | null;
  codeStep: bigint | null;
}

const COLUMNS = `p.person_id as "personId", p.login, p.name, p.role, p.vendor_id as "vendorId", v.vid,
  p.status, p.created_at as "createdAt", p.password_hash is not null as "hasPassword",
  p.code_secret is not null as "hasCodes", p.credentials_at as "credentialsAt",
  p.link_by as "linkBy", m.login as "linkByLogin"`;

const PEOPLE = `people p left join vendors v on v.vendor_id = p.vendor_id
  left join people m on m.person_id = p.link_by`;

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

/** Of a vendor, with those who are disabled. */
export async function countPeople(db: Queryable, vendorId: number): Promise<number> {
  const counted = await db.query<{ count: number }>(
    'select count(*)::integer as count from people where vendor_id = $1',
    [vendorId],
  );
  return counted.rows[0]?.count ?? 0;
}

/** People who used a link, and whom nobody but its maker could vouch for. Longest first. */
export async function listUnconfirmed(db: Queryable): Promise<PersonRow[]> {
  const listed = await db.query<PersonRow>(
    `select ${COLUMNS} from ${PEOPLE}
     where p.link_by is not null and p.status = 'active' order by p.credentials_at, p.login limit 100`,
  );
  return listed.rows;
}

export async function findPerson(db: Queryable, login: string): Promise<PersonRow | undefined> {
  const found = await db.query<PersonRow>(
    `select ${COLUMNS} from ${PEOPLE}
     where p.login = $1`,
    [login],
  );
  return found.rows[0];
}

/** Whether members of staff sign in with one-time codes, as they do outside the sandbox. */
export async function hasStaffWithCodes(db: Queryable): Promise<boolean> {
  const found = await db.query(
    `select 1 from people
     where vendor_id is null and status = 'active' and code_secret is not null limit 1`,
  );
  return found.rowCount === 1;
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

const CREDENTIALS = `person_id as "personId", login, status, password_hash as "passwordHash",
  master_key_id as "masterKeyId", code_secret as "codeSecret", code_step as "codeStep"`;

export async function findCredentials(
  db: Queryable,
  login: string,
): Promise<CredentialsRow | undefined> {
  const found = await db.query<CredentialsRow>(
    `select ${CREDENTIALS} from people where login = $1`,
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
    /** Who made the link, if somebody else has to confirm the person. */
    readonly linkBy: string | null;
  },
): Promise<void> {
  await db.query(
    `update people set password_hash = $2, master_key_id = $3, code_secret = $4, code_step = $5,
       credentials_at = $6, link_by = $7
     where person_id = $1`,
    [
      personId,
      credentials.passwordHash,
      credentials.codes?.masterKeyId ?? null,
      credentials.codes?.secret ?? null,
      credentials.codeStep,
      credentials.at,
      credentials.linkBy,
    ],
  );
}

/**
 * Records another person's confirmation that the person chose the credentials of that time. False if
 * the credentials have changed, need no confirmation, or this person may not confirm them.
 */
export async function setConfirmed(
  db: Queryable,
  person: { readonly login: string; readonly credentialsAt: Date; readonly by: string },
): Promise<boolean> {
  const updated = await db.query(
    `update people set link_by = null
     where login = $1 and credentials_at = $2 and link_by <> $3 and person_id <> $3`,
    [person.login, person.credentialsAt, person.by],
  );
  return updated.rowCount === 1;
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

/** The same secret, sealed under another master key. */
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
