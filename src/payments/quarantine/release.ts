import { newId } from '../../platform/base/ids.ts';
import { findCitus } from '../../platform/cluster/tables.ts';
import { isSamePerson } from '../../platform/base/person.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import { changeSettings } from '../../platform/db/settings-watch.ts';
import { forgetAbsent } from '../../platform/history/processes-store.ts';
import { listRoutes } from '../billers/routes-store.ts';
import { listBillers } from '../billers/store.ts';
import { readQueueTotals } from '../dispatch/queue-totals-store.ts';
import { statementCovers } from '../reconciliation/store.ts';
import { insertEvent, lockOpenQuarantine, proposeForce, writeRelease } from './store.ts';
import type { QuarantineRow } from './store.ts';

/** An operator that may have executed payments that the ledger lacks. */
export interface Stake {
  readonly operatorCode: string;
  /** The open payments that it may have: queued, or waiting for an answer. */
  readonly open: number;
  /** Complete, matched statements cover the missing period. */
  readonly covered: boolean;
}

/**
 * The operators that a release waits for: every one that a biller is paid through. Operators
 * without an open payment are included, because payments through them in the missing period are
 * exactly those that the ledger does not have.
 */
export async function readStakes(
  db: Queryable,
  quarantine: Pick<QuarantineRow, 'lostFrom' | 'lostUntil'>,
): Promise<Stake[]> {
  const billers = await listBillers(db);
  const routes = await listRoutes(db);
  const operatorsOf = (billerCode: string): string[] =>
    (routes.get(billerCode) ?? []).map(({ operatorCode }) => operatorCode);
  const open = new Map(
    billers.flatMap((row) => operatorsOf(row.billerCode)).map((code) => [code, 0]),
  );
  for (const { billerCode, count } of await readQueueTotals(db)) {
    for (const code of operatorsOf(billerCode)) open.set(code, (open.get(code) ?? 0) + count);
  }
  const period = { from: quarantine.lostFrom, to: endOf(quarantine) };
  const stakes: Stake[] = [];
  for (const operatorCode of [...open.keys()].toSorted()) {
    const covered = await statementCovers(db, { operator: operatorCode, ...period });
    stakes.push({ operatorCode, open: open.get(operatorCode) ?? 0, covered });
  }
  return stakes;
}

// No statement could cover an empty period.
function endOf({
  lostFrom: from,
  lostUntil: until,
}: Pick<QuarantineRow, 'lostFrom' | 'lostUntil'>): Date {
  return new Date(Math.max(until.getTime(), from.getTime() + 1));
}

export interface ReleaseOptions {
  readonly by: string;
  /** Propose to release without the statements, or confirm another person's proposal. */
  readonly force?: { readonly reason: string; readonly confirms?: string | undefined };
  /** Why the ledger lacks nothing; possible only if nothing contradicts it. */
  readonly nothingLost?: string;
}

export type Release =
  | { readonly kind: 'released'; readonly quarantine: QuarantineRow; readonly forced: boolean }
  /** One person has proposed a forced release; a second one has to confirm it. */
  | { readonly kind: 'proposed'; readonly quarantine: QuarantineRow; readonly proposalId: string };

/**
 * Ends the quarantine when every operator's complete statements cover the missing period, or when a
 * person says that nothing was lost and all that is known agrees; otherwise only if two different
 * people want it. Recorded in any case.
 * Throws: `PlainError` if there is no quarantine, statements are missing, or the confirmed proposal is
 * the person's own, or not the current one.
 */
export async function releaseQuarantine(pool: Pool, options: ReleaseOptions): Promise<Release> {
  const { by, force, nothingLost } = options;
  return await changeSettings(pool, 'billers', async (client): Promise<Release> => {
    const quarantine = await lockOpenQuarantine(client);
    if (quarantine === undefined) throw new PlainError('The service is not in quarantine.');
    if (nothingLost !== undefined && !quarantine.seemsComplete) throw new PlainError(LOST_TEXT);
    const missing =
      nothingLost === undefined
        ? (await readStakes(client, quarantine))
            .filter((stake) => !stake.covered)
            .map((stake) => stake.operatorCode)
        : [];
    const forced = missing.length > 0;
    if (forced && force === undefined) throw new PlainError(missingText(quarantine, missing));
    const { quarantineId, forceProposedBy: proposedBy } = quarantine;
    const eventOf = { eventId: newId(), quarantineId, actor: by };
    if (forced && force !== undefined && force.confirms === undefined) {
      const proposalId = newId();
      const { reason } = force;
      await proposeForce(client, { quarantineId, proposalId, by, reason, missing });
      const detail = { reason, missing, proposal: proposalId };
      await insertEvent(client, { ...eventOf, action: 'force_proposed', detail });
      return { kind: 'proposed', quarantine, proposalId };
    }
    if (forced) requireConfirmable(quarantine, { by, confirms: force?.confirms, missing });
    await writeRelease(client, { ...eventOf, by, forced });
    await forgetAbsent(client);
    await insertEvent(client, {
      ...eventOf,
      action: 'released',
      detail: forced
        ? { forced: true, missing, reason: force?.reason, proposed_by: proposedBy }
        : { forced: false, ...(nothingLost === undefined ? {} : { nothing_lost: nothingLost }) },
    });
    return { kind: 'released', quarantine, forced };
  });
}

/**
 * Ends the quarantine after a promotion by which nothing was lost, as the processes have confirmed.
 * Returns their names; undefined, and nothing is changed, if that is not certain, or if the quarantine
 * has another cause as well.
 */
export async function releaseConfirmed(
  pool: Pool,
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
    await writeRelease(client, { quarantineId, by: 'service', forced: false });
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

/** Throws: `PlainError` if this person may not confirm it, or has not seen it as it is. */
function requireConfirmable(
  quarantine: QuarantineRow,
  {
    by,
    confirms,
    missing,
  }: {
    readonly by: string;
    readonly confirms: string | undefined;
    readonly missing: readonly string[];
  },
): void {
  const { forceProposedBy, forceProposalId, forceMissing } = quarantine;
  if (forceProposedBy === null || forceProposalId !== confirms) {
    throw new PlainError('This is not the current proposal; see quarantine status.', {
      field: 'confirm',
    });
  }
  if (isSamePerson(forceProposedBy, by)) {
    throw new PlainError(
      `${forceProposedBy} has proposed the forced release; another person has to confirm it.`,
      { field: 'by' },
    );
  }
  const more = missing.filter((code) => forceMissing?.includes(code) !== true);
  if (more.length === 0) return;
  throw new PlainError(
    `Since the proposal, the statements of ${more.join(', ')} are missing as well; propose it again.`,
    { field: 'confirm' },
  );
}

const LOST_TEXT =
  'That nothing was lost cannot be confirmed. It can be after a standby was promoted, if synchronous_standby_names was set and the database has everything that this service knows of. Import the statements, or let two people release it with --force.';

function missingText(quarantine: QuarantineRow, missing: readonly string[]): string {
  const from = quarantine.lostFrom.toISOString();
  const until = quarantine.lostUntil.toISOString();
  return `The quarantine stays: no complete statement covers ${from} to ${until} of ${missing.join(', ')}.\nImport them: malipo reconcile import. If an operator cannot send one, two people can release with --force --reason.`;
}
