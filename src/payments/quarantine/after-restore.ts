import type { Logger } from 'pino';
import { newId } from '../../platform/base/ids.ts';
import { readMarker, removeMarker } from '../../platform/backup/marker.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { OnChange, OnConfirmed } from '../../platform/history/keeper.ts';
import { enterQuarantine } from './enter.ts';
import type { Entered } from './enter.ts';
import type { ReleaseDeps } from './forged.ts';
import { releaseConfirmed } from './release.ts';

/**
 * Runs before anything else is done with an embedded database: if its data folder is a restored
 * backup, enters quarantine. If it is killed in between, the next start enters it, once.
 * @param data PostgreSQL's data folder; undefined if the database is external.
 * Returns the quarantine entered now. Throws: `PlainError` if the marker is damaged.
 */
export async function enterAfterRestore(
  pool: Pool,
  data: string | undefined,
): Promise<Entered | undefined> {
  const marker = data === undefined ? undefined : await readMarker(data);
  if (data === undefined || marker === undefined) return undefined;
  const entered = await enterQuarantine(pool, {
    entryId: marker.backupId,
    lostFrom: marker.lostFrom,
    lostUntil: null,
    by: 'restore',
    reason: `restored from backup ${marker.backupId}`,
  });
  await removeMarker(data);
  return entered;
}

/** Operators' clocks differ from ours. */
const CLOCK_MARGIN_MS = 5 * 60_000;

/** Enters quarantine when the database was restored or replaced by any other means. */
export function enterOnChange(pool: Pool): OnChange {
  return async ({ what, lostFrom, seemsComplete }, begin) => {
    await enterQuarantine(
      pool,
      {
        entryId: newId(),
        lostFrom: new Date(lostFrom.getTime() - CLOCK_MARGIN_MS),
        lostUntil: null,
        by: 'service',
        reason: `the database was restored or replaced: ${what}`,
        seemsComplete,
      },
      begin,
    );
  };
}

/** Leaves quarantine when every process has confirmed that a promotion lost nothing. */
export function leaveWhenConfirmed(deps: ReleaseDeps, log: Logger): OnConfirmed {
  return async (whoConfirmed) => {
    const processes = await releaseConfirmed(deps, whoConfirmed);
    if (processes === undefined) return;
    log.warn({ processes }, 'a standby was promoted and nothing was lost: payments are sent again');
  };
}
