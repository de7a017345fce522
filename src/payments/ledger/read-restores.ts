import { PlainError } from '../../platform/base/plain-error.ts';
import type { Queryable } from '../../platform/db/pool.ts';

/** What quarantines say about something that was stored earlier. */
export interface Restores {
  /** An open one, which people or the processes will end. */
  readonly isQuarantine: boolean;
  /** A restore may have lost later steps of whatever was stored until then; null: no restore lost anything. */
  readonly lostUntil: Date | null;
}

export async function readRestores(db: Queryable): Promise<Restores> {
  const read = await db.query<Restores>({
    name: 'read_restores',
    text: `select coalesce(bool_or(released_at is null), false) as "isQuarantine",
        max(coalesce(released_at, now())) filter (where not seems_complete) as "lostUntil"
      from quarantines`,
    values: [],
  });
  return read.rows[0] ?? { isQuarantine: false, lostUntil: null };
}

export function mayBeLost({ lostUntil }: Restores, storedAt: Date): boolean {
  return lostUntil !== null && storedAt <= lostUntil;
}

/**
 * For proposals after which money leaves us: the approval, and the money, may be in the time that a restore lost.
 * Throws: `PlainError`. Pure.
 * @param proposedAt null: it is proposed now.
 */
export function requireNotLost(restores: Restores, proposedAt: Date | null): void {
  if (restores.isQuarantine) {
    throw new PlainError(
      'The service is in quarantine: nobody knows what was paid in the time that its database lacks.',
    );
  }
  if (proposedAt === null || !mayBeLost(restores, proposedAt)) return;
  throw new PlainError(
    'The database was restored after it was proposed: it may have been approved and paid in the time that was lost. Look for it where the money would have gone; reject it, and propose it again if it was not paid.',
  );
}
