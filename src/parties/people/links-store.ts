import type { Queryable } from '../../platform/db/pool.ts';

export interface LinkRow {
  personId: string;
  login: string;
  name: string;
  /** Who made the link; null: the command line. */
  madeBy: string | null;
  /** The proposal that confirms whoever uses it; null: nobody has to. */
  waitsFor: string | null;
  expiresAt: Date;
  /** When the person last chose a password. */
  credentialsAt: Date | null;
  mac: Buffer;
}

/** Adds a link, and ends the person's earlier ones. */
export async function insertLink(
  db: Queryable,
  link: {
    readonly tokenHash: Buffer;
    readonly personId: string;
    readonly madeBy: string | null;
    readonly waitsFor: string | null;
    readonly createdAt: Date;
    readonly expiresAt: Date;
    readonly mac: Buffer;
  },
): Promise<void> {
  await endLinksOf(db, link.personId, link.createdAt);
  await db.query(
    `insert into person_links (token_hash, person_id, made_by, created_at, expires_at, waits_for, mac)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      ...[link.tokenHash, link.personId, link.madeBy, link.createdAt],
      ...[link.expiresAt, link.waitsFor, link.mac],
    ],
  );
}

/** Ends the person's links. */
export async function endLinksOf(db: Queryable, personId: string, now: Date): Promise<void> {
  await db.query(
    'update person_links set expires_at = $2 where person_id = $1 and expires_at > $2',
    [personId, now],
  );
}

/** Ends the unused links that were made without a person who signed in. */
export async function endUnsignedLinks(db: Queryable, now: Date): Promise<void> {
  await db.query(
    `update person_links set expires_at = $1
     where made_by is null and used_at is null and expires_at > $1`,
    [now],
  );
}

/**
 * Whom an unused link is for; undefined if it is unknown, used or expired. The caller verifies the code of
 * the row.
 */
export async function findLink(
  db: Queryable,
  tokenHash: Buffer,
  now: Date,
): Promise<LinkRow | undefined> {
  const found = await db.query<LinkRow>(
    `select p.person_id as "personId", p.login, p.name,
       l.made_by as "madeBy", l.waits_for as "waitsFor", l.expires_at as "expiresAt",
       p.credentials_at as "credentialsAt", l.mac
     from person_links l join people p on p.person_id = l.person_id
     where l.token_hash = $1 and l.used_at is null and l.expires_at > $2 and p.status = 'active'`,
    [tokenHash, now],
  );
  return found.rows[0];
}

/** False if another request used it first. */
export async function useLink(db: Queryable, tokenHash: Buffer, now: Date): Promise<boolean> {
  const used = await db.query(
    `update person_links set used_at = $2
     where token_hash = $1 and used_at is null and expires_at > $2`,
    [tokenHash, now],
  );
  return used.rowCount === 1;
}
