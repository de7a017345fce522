import { newId } from '../../platform/base/ids.ts';
import type { Mac } from '../../platform/base/mac.ts';
import { findCitus } from '../../platform/cluster/tables.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { changeSettings } from '../../platform/db/settings-watch.ts';
import { forgetAbsent } from '../../platform/history/processes-store.ts';
import type { ReleaseDeps } from './forged.ts';
import { listMissing } from './stakes.ts';
import { insertEvent, lockOpenQuarantine, writeRelease } from './store.ts';
import type { QuarantineRow } from './read-quarantine.ts';

export interface ReleaseOptions {
  readonly by: string;
  /** Why the ledger lacks nothing; possible only if nothing contradicts it. */
  readonly nothingLost?: string;
}

/**
 * Ends the quarantine when every operator's complete statements cover the missing period, or when a
 * person says that nothing was lost and all that is known agrees. Recorded in any case.
 * Throws: `PlainError` if there is no quarantine, or if statements are missing: only two people release it without them.
 */
export async function releaseQuarantine(
  { pool, ledgerMac }: ReleaseDeps,
  { by, nothingLost }: ReleaseOptions,
): Promise<QuarantineRow> {
  return await changeSettings(pool, 'billers', async (client) => {
    const quarantine = await lockOpenQuarantine(client);
    if (quarantine === undefined) throw new PlainError(NOT_OPEN);
    if (nothingLost !== undefined && !quarantine.seemsComplete) throw new PlainError(LOST_TEXT);
    const missing = nothingLost === undefined ? await listMissing(client, quarantine) : [];
    if (missing.length > 0) throw new PlainError(missingText(quarantine, missing));
    const { quarantineId } = quarantine;
    await endQuarantine(client, ledgerMac, {
      ...{ quarantineId, by, forced: false },
      detail: nothingLost === undefined ? {} : { nothing_lost: nothingLost },
    });
    return quarantine;
  });
}

/** In the caller's database transaction, in which the quarantine is locked and the topic `billers` is marked. */
export async function endQuarantine(
  client: Queryable,
  mac: Mac,
  release: {
    readonly quarantineId: string;
    readonly by: string;
    readonly forced: boolean;
    readonly detail: Readonly<Record<string, unknown>>;
  },
): Promise<void> {
  const { detail, ...rest } = release;
  const { quarantineId, by: actor, forced } = rest;
  await writeRelease(client, mac, rest);
  await forgetAbsent(client);
  const event = { eventId: newId(), quarantineId, actor, action: 'released' } as const;
  await insertEvent(client, { ...event, detail: { forced, ...detail } });
}

/**
 * Ends the quarantine after a promotion by which nothing was lost, as the processes have confirmed.
 * Returns their names; undefined, and nothing is changed, if that is not certain, or if the quarantine
 * has another cause as well.
 */
export async function releaseConfirmed(
  { pool, ledgerMac }: ReleaseDeps,
  whoConfirmed: (client: Queryable) => Promise<readonly string[] | undefined>,
): Promise<readonly string[] | undefined> {
  return await changeSettings(pool, 'billers', async (client) => {
    const quarantine = await lockOpenQuarantine(client);
    // On a cluster the workers have the payments, and only the coordinator is compared.
    if (quarantine?.seemsComplete !== true || (await findCitus(client)) !== undefined)
      return undefined;
    const confirmedBy = await whoConfirmed(client);
    if (confirmedBy === undefined) return undefined;
    const { quarantineId } = quarantine;
    await writeRelease(client, ledgerMac, { quarantineId, by: 'service', forced: false });
    await insertEvent(client, {
      eventId: newId(),
      quarantineId,
      actor: 'service',
      action: 'released',
      detail: { forced: false, confirmed_by: confirmedBy },
    });
    return confirmedBy;
  });
}

export const NOT_OPEN = 'The service is not in quarantine.';

const LOST_TEXT =
  'That nothing was lost cannot be confirmed. It can be after a standby was promoted, if synchronous_standby_names was set and the database has everything that this service knows of. Import the statements, or propose its end without them.';

function missingText(quarantine: QuarantineRow, missing: readonly string[]): string {
  const from = quarantine.lostFrom.toISOString();
  const until = quarantine.lostUntil.toISOString();
  return `The quarantine stays: no complete statement covers ${from} to ${until} of ${missing.join(', ')}.\nImport them: malipo statement import. If an operator cannot send one, propose the end without it, which another person approves: malipo quarantine propose.`;
}
