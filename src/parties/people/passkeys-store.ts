import type { Queryable } from '../../platform/db/pool.ts';
import { hasEnded, insertEnded } from './ended-store.ts';
import type { PasskeyRow } from './read-passkeys.ts';

/** False if it is registered already, or was removed. */
export async function insertPasskey(
  db: Queryable,
  key: Omit<PasskeyRow, 'usedAt'>,
): Promise<boolean> {
  const removed = await db.query(`select where ${hasEnded('passkey', '$1')}`, [key.credentialId]);
  if (removed.rowCount === 1) return false;
  const inserted = await db.query(
    `insert into passkeys (credential_id, person_id, public_key, sign_count, transports, name, created_at,
       mac)
     values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing`,
    [
      key.credentialId,
      key.personId,
      key.publicKey,
      key.signCount,
      key.transports,
      key.name,
      key.createdAt,
      key.mac,
    ],
  );
  return inserted.rowCount === 1;
}

/** False if the device has signed as often, or more often, already: then it is a copy, or a repeat. */
export async function notePasskeyUse(
  db: Queryable,
  credentialId: string,
  use: { readonly signCount: bigint; readonly at: Date },
): Promise<boolean> {
  const noted = await db.query(
    `update passkeys set sign_count = $2, used_at = $3
     where credential_id = $1 and (sign_count < $2 or (sign_count = 0 and $2 = 0))`,
    [credentialId, use.signCount, use.at],
  );
  return noted.rowCount === 1;
}

/** Deletes it for good, in the caller's database transaction. False if the person has no such passkey. */
export async function deletePasskey(
  db: Queryable,
  personId: string,
  credentialId: string,
): Promise<boolean> {
  const deleted = await db.query(
    'delete from passkeys where person_id = $1 and credential_id = $2',
    [personId, credentialId],
  );
  if (deleted.rowCount !== 1) return false;
  await insertEnded(db, 'passkey', credentialId);
  return true;
}

export async function deletePasskeysOf(db: Queryable, personId: string): Promise<void> {
  await db.query('delete from passkeys where person_id = $1', [personId]);
}

/** Also removes expired challenges. @param personId null: for a sign-in, before the person is known. */
export async function insertChallenge(
  db: Queryable,
  challenge: {
    readonly text: string;
    readonly personId: string | null;
    readonly now: Date;
    readonly expiresAt: Date;
    readonly mac: Buffer;
  },
): Promise<void> {
  await db.query('delete from passkey_challenges where expires_at <= $1', [challenge.now]);
  await db.query(
    'insert into passkey_challenges (challenge, person_id, expires_at, mac) values ($1, $2, $3, $4)',
    [challenge.text, challenge.personId, challenge.expiresAt, challenge.mac],
  );
}

/**
 * A challenge counts once. Undefined if it is unknown, used, expired, or another person's. The caller verifies
 * the code.
 */
export async function takeChallenge(
  db: Queryable,
  challenge: { readonly text: string; readonly personId: string | null; readonly now: Date },
): Promise<{ readonly expiresAt: Date; readonly mac: Buffer } | undefined> {
  const taken = await db.query<{ expiresAt: Date; mac: Buffer }>(
    `delete from passkey_challenges
     where challenge = $1 and person_id is not distinct from $2 and expires_at > $3
     returning expires_at as "expiresAt", mac`,
    [challenge.text, challenge.personId, challenge.now],
  );
  if (taken.rows[0] === undefined) return undefined;
  return (await insertEnded(db, 'challenge', challenge.text)) ? taken.rows[0] : undefined;
}
