import type { Logger } from 'pino';
import { newId } from '../../platform/base/ids.ts';
import type { Mac } from '../../platform/base/mac.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import { changeSettings } from '../../platform/db/settings-watch.ts';
import {
  insertEvent,
  isReleaseAuthentic,
  listReleased,
  listReopened,
  lockOpenQuarantine,
  openOrExtend,
  reopen,
  writeRelease,
} from './store.ts';
import type { ReleasedRow } from './store.ts';

const UNDONE = 'its release was written by somebody with access to the database';

export interface ReleaseDeps {
  readonly pool: Pool;
  readonly ledgerMac: Mac;
}

/**
 * Undoes every release that the service did not make. Runs before billers are read into memory: until then they are
 * OFFLINE in a process that runs, so none sends anything because of one. Returns the quarantines.
 */
export async function undoForgedReleases({ pool, ledgerMac }: ReleaseDeps): Promise<string[]> {
  if ((await listForged(pool, ledgerMac)).length === 0) return [];
  return await changeSettings(pool, 'billers', async (client) => {
    const forged = await listForged(client, ledgerMac);
    for (const row of forged) await undo(client, ledgerMac, row);
    return forged.map(({ quarantineId }) => quarantineId);
  });
}

/** Undoes forged releases and logs them. */
export async function undoAndLog(deps: ReleaseDeps & { readonly log: Logger }): Promise<void> {
  const quarantines = await undoForgedReleases(deps);
  if (quarantines.length === 0) return;
  deps.log.error({ quarantines }, `in quarantine again: ${UNDONE}. See malipo ledger check`);
}

async function undo(client: Queryable, mac: Mac, row: ReleasedRow): Promise<void> {
  const { quarantineId, lostFrom, lostUntil, seemsComplete } = row;
  const open = await lockOpenQuarantine(client);
  if (open === undefined) await reopen(client, quarantineId);
  else {
    // Only one is open at a time: that one takes over the period.
    const period = { lostFrom, lostUntil, seemsComplete };
    const reason = `of quarantine ${quarantineId}, ${UNDONE}`;
    await openOrExtend(client, { ...period, quarantineId: open.quarantineId, reason });
    await writeRelease(client, mac, { quarantineId, by: 'service', forced: false });
  }
  await insertEvent(client, {
    ...{ eventId: newId(), quarantineId, action: 'reopened', actor: 'service' },
    detail: { released_by: row.releasedBy, released_at: row.releasedAt, forced: row.forced },
  });
}

async function listForged(db: Queryable, mac: Mac): Promise<ReleasedRow[]> {
  return (await listReleased(db)).filter((row) => !isReleaseAuthentic(row, mac));
}

/** The rule that `ledger check` applies to releases. */
export const RELEASES_AUTHENTIC = {
  name: 'quarantine_releases_authentic',
  says: 'Every quarantine that has ended was released by the service: it has a valid authentication code.',
  find: async (db: Queryable, mac: Mac): Promise<string[]> => {
    const forged = await listForged(db, mac);
    const undone = await listReopened(db);
    return [
      ...forged.map(({ quarantineId, releasedBy }) => [quarantineId, releasedBy]),
      ...undone.map(({ quarantineId, detail }) => [quarantineId, String(detail['released_by'])]),
    ].map(
      ([id, by]) =>
        `quarantine ${id}: the release in the name of ${by} was not made by the service`,
    );
  },
} as const;
