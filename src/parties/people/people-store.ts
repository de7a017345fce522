import type { Queryable } from '../../platform/db/pool.ts';
import type { Role } from './roles.ts';
import { SIGNED_COLUMNS } from './read-people.ts';
import type { SignedPerson } from './read-people.ts';

/** A person with the credentials that a sign-in is checked against. */
export interface CredentialsRow extends SignedPerson {
  masterKeyId: string | null;
  codeSecret: Buffer | null;
  codeStep: bigint | null;
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
