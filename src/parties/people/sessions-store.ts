import type { Queryable } from '../../platform/db/pool.ts';
import { insertEnded } from './ended-store.ts';

export async function insertSession(
  db: Queryable,
  session: {
    readonly tokenHash: Buffer;
    readonly personId: string;
    readonly createdAt: Date;
    readonly expiresAt: Date;
    readonly address: string;
    readonly browser: string;
    readonly mac: Buffer;
  },
): Promise<void> {
  await db.query(
    `insert into sessions (token_hash, person_id, created_at, seen_at, expires_at, address, browser, mac)
     values ($1, $2, $3, $3, $4, $5, $6, $7)`,
    [
      session.tokenHash,
      session.personId,
      session.createdAt,
      session.expiresAt,
      session.address,
      session.browser,
      session.mac,
    ],
  );
}

export async function noteSeen(db: Queryable, tokenHash: Buffer, now: Date): Promise<void> {
  await db.query('update sessions set seen_at = $2 where token_hash = $1', [tokenHash, now]);
}

/** Ends the session for good: its hash is kept before the row is deleted. */
export async function endSession(db: Queryable, tokenHash: Buffer): Promise<void> {
  const known = await db.query('select from sessions where token_hash = $1', [tokenHash]);
  if (known.rowCount === 1) await insertEnded(db, 'session', tokenHash.toString('hex'));
  await db.query('delete from sessions where token_hash = $1', [tokenHash]);
}

/** Signs the person out everywhere. */
export async function deleteSessionsOf(db: Queryable, personId: string): Promise<void> {
  await db.query(
    `with ended as (delete from sessions where person_id = $1 returning token_hash)
     insert into ended_credentials (kind, id, ended_at)
     select 'session', encode(token_hash, 'hex'), now() from ended on conflict do nothing`,
    [personId],
  );
}

/** Removes sessions that have ended. */
export async function deleteEndedSessions(
  db: Queryable,
  time: { readonly now: Date; readonly idleSince: Date },
): Promise<void> {
  await db.query('delete from sessions where expires_at <= $1 or seen_at <= $2', [
    time.now,
    time.idleSince,
  ]);
}
