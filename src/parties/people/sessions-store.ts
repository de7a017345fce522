import type { Queryable } from '../../platform/db/pool.ts';
import { hasEnded, insertEnded } from './ended-store.ts';
import { SIGNED_COLUMNS } from './people-store.ts';
import type { SignedPerson } from './people-store.ts';

export interface SessionRow extends SignedPerson {
  vid: string | null;
  seenAt: Date;
  expiresAt: Date;
  mac: Buffer;
  /** False: somebody else has to confirm the person. */
  isConfirmed: boolean;
}

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

/**
 * Undefined: unknown, expired, unused since `idleSince`, or of a person who is disabled or whose
 * vendor is suspended. The caller verifies the codes of session and person.
 */
export async function findSession(
  db: Queryable,
  tokenHash: Buffer,
  time: { readonly now: Date; readonly idleSince: Date },
): Promise<SessionRow | undefined> {
  const found = await db.query<SessionRow>({
    name: 'find_session',
    text: `select ${SIGNED_COLUMNS}, v.vid, s.seen_at as "seenAt", s.expires_at as "expiresAt", s.mac,
        p.waits_for is null as "isConfirmed"
      from sessions s join people p on p.person_id = s.person_id
        left join vendors v on v.vendor_id = p.vendor_id
      where s.token_hash = $1 and s.expires_at > $2 and s.seen_at > $3 and p.status = 'active'
        and (p.vendor_id is null or v.status = 'active')
        and not ${hasEnded('session', `encode(s.token_hash, 'hex')`)}`,
    values: [tokenHash, time.now, time.idleSince],
  });
  return found.rows[0];
}

export async function noteSeen(db: Queryable, tokenHash: Buffer, now: Date): Promise<void> {
  await db.query('update sessions set seen_at = $2 where token_hash = $1', [tokenHash, now]);
}

/** True if any session was used since then. */
export async function isAnySessionInUse(db: Queryable, since: Date): Promise<boolean> {
  const found = await db.query('select from sessions where seen_at > $1 limit 1', [since]);
  return (found.rowCount ?? 0) > 0;
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
