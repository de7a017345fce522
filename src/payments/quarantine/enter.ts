import { newId } from '../../platform/base/ids.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import { changeSettings } from '../../platform/db/settings-watch.ts';
import { suspectQueued } from '../dispatch/recall-store.ts';
import { hasEvent, insertEvent, openOrExtend } from './store.ts';
import { findOpenQuarantine } from './read-quarantine.ts';
import type { QuarantineRow } from './read-quarantine.ts';

export interface Entry {
  /** Makes the entry idempotent. */
  readonly entryId: string;
  /** The ledger lacks what was done from then on. */
  readonly lostFrom: Date;
  /** Null: until now, by the database's clock. */
  readonly lostUntil: Date | null;
  readonly by: string;
  readonly reason: string;
  /** Nothing is known to be missing: see `HistoryChange`. Default: false. */
  readonly seemsComplete?: boolean;
}

export interface Entered {
  readonly quarantine: QuarantineRow;
  /** Queued payments that are now verified, because they may have been sent. */
  readonly suspected: number;
}

/**
 * Enters quarantine in one commit. From then on nothing is claimed for sending, every biller is
 * OFFLINE, and the operator is queried about each queued payment before it can be sent. An open
 * quarantine is extended.
 * @param begin part of the same commit; if it returns false, nothing is entered.
 * Returns undefined if this entry was made before.
 */
export async function enterQuarantine(
  pool: Pool,
  entry: Entry,
  begin: (client: Queryable) => Promise<boolean> = async () => true,
): Promise<Entered | undefined> {
  const { lostFrom, lostUntil, reason, seemsComplete = false } = entry;
  return await changeSettings(pool, 'billers', async (client) => {
    if (await hasEvent(client, entry.entryId)) return undefined;
    if (!(await begin(client))) return undefined;
    const {
      quarantineId,
      extended,
      enteredAt,
      lostUntil: blindUntil,
    } = await openOrExtend(client, {
      quarantineId: newId(),
      lostFrom,
      lostUntil,
      reason,
      seemsComplete,
    });
    const suspected = await suspectQueued(client, { createdUntil: blindUntil, dueAt: enteredAt });
    await insertEvent(client, {
      eventId: entry.entryId,
      quarantineId,
      action: extended ? 'extended' : 'entered',
      actor: entry.by,
      detail: {
        reason,
        lost_from: lostFrom.toISOString(),
        lost_until: lostUntil?.toISOString() ?? null,
        seems_complete: seemsComplete,
        suspected,
      },
    });
    const quarantine = await findOpenQuarantine(client);
    if (quarantine === undefined) throw new Error('the quarantine was not opened');
    return { quarantine, suspected };
  });
}
