import type { Queryable } from '../../platform/db/pool.ts';
import { hasEnded } from './ended-store.ts';
import { SIGNED_COLUMNS } from './read-people.ts';
import type { SignedPerson } from './read-people.ts';

export interface SessionRow extends SignedPerson {
  vid: string | null;
  seenAt: Date;
  expiresAt: Date;
  mac: Buffer;
  /** False: somebody else has to confirm the person. */
  isConfirmed: boolean;
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

/** True if any session was used since then. */
export async function isAnySessionInUse(db: Queryable, since: Date): Promise<boolean> {
  const found = await db.query('select from sessions where seen_at > $1 limit 1', [since]);
  return (found.rowCount ?? 0) > 0;
}
