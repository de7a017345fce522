import { newId } from '../../platform/base/ids.ts';
import { isSamePerson } from '../../platform/base/person.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import { changeSettings } from '../../platform/db/settings-watch.ts';
import {
  insertEvent,
  listStakes,
  lockOpenQuarantine,
  proposeForce,
  writeRelease,
} from './store.ts';
import type { QuarantineRow, StakeRow } from './store.ts';

/** Whether complete, matched statements of the operator cover the time. */
export type StatementCovers = (
  db: Queryable,
  period: { readonly operator: string; readonly from: Date; readonly to: Date },
) => Promise<boolean>;

/** An operator, and whether its word about the lost time is in. */
export interface Stake extends StakeRow {
  readonly covered: boolean;
}

/** What a release waits for: every operator with its part. */
export async function readStakes(
  db: Queryable,
  quarantine: Pick<QuarantineRow, 'lost_from' | 'lost_until'>,
  covers: StatementCovers,
): Promise<Stake[]> {
  const stakes: Stake[] = [];
  for (const stake of await listStakes(db)) {
    const period = { from: quarantine.lost_from, to: endOf(quarantine) };
    const covered = await covers(db, { operator: stake.operator_code, ...period });
    stakes.push({ ...stake, covered });
  }
  return stakes;
}

// An empty period would be covered by nothing at all.
function endOf({
  lost_from: from,
  lost_until: until,
}: Pick<QuarantineRow, 'lost_from' | 'lost_until'>): Date {
  return new Date(Math.max(until.getTime(), from.getTime() + 1));
}

export interface ReleaseOptions {
  readonly by: string;
  /** Given: release without the statements; what for. */
  readonly force?: { readonly reason: string };
  readonly covers: StatementCovers;
}

export type Release =
  | { readonly kind: 'released'; readonly quarantine: QuarantineRow; readonly forced: boolean }
  /** One person wants it by force; a second one has to want it, too. */
  | { readonly kind: 'proposed'; readonly quarantine: QuarantineRow };

/**
 * Ends the quarantine when every operator's complete statements cover the lost time; without them
 * only when two different people want it. Written down in any case.
 * Throws: `PlainError` when there is no quarantine, or statements are missing, or the person that
 * forces is the one that proposed it.
 */
export async function releaseQuarantine(pool: Pool, options: ReleaseOptions): Promise<Release> {
  const { by, force } = options;
  return await changeSettings(pool, 'billers', async (client): Promise<Release> => {
    const quarantine = await lockOpenQuarantine(client);
    if (quarantine === undefined) throw new PlainError('The service is not in quarantine.');
    const missing = (await readStakes(client, quarantine, options.covers))
      .filter((stake) => !stake.covered)
      .map((stake) => stake.operator_code);
    const forced = missing.length > 0;
    if (forced && force === undefined) throw new PlainError(missingText(quarantine, missing));
    const eventOf = { eventId: newId(), quarantineId: quarantine.quarantine_id, actor: by };
    const proposer = quarantine.force_proposed_by;
    if (forced && force !== undefined && proposer === null) {
      await proposeForce(client, { ...eventOf, by, reason: force.reason });
      await insertEvent(client, {
        ...eventOf,
        action: 'force_proposed',
        detail: { reason: force.reason, missing },
      });
      return { kind: 'proposed', quarantine };
    }
    if (forced && proposer !== null && isSamePerson(proposer, by)) {
      throw new PlainError(
        `${proposer} has proposed the forced release; another person has to confirm it.`,
        { field: 'by' },
      );
    }
    await writeRelease(client, { ...eventOf, by, forced });
    await insertEvent(client, {
      ...eventOf,
      action: 'released',
      detail: forced
        ? { forced: true, missing, reason: force?.reason, proposed_by: proposer }
        : { forced: false },
    });
    return { kind: 'released', quarantine, forced };
  });
}

function missingText(quarantine: QuarantineRow, missing: readonly string[]): string {
  const from = quarantine.lost_from.toISOString();
  const until = quarantine.lost_until.toISOString();
  return `The quarantine stays: no complete statement covers ${from} to ${until} of ${missing.join(', ')}.\nImport them: malipo reconcile import. Only when an operator cannot send one: --force --reason, by two people.`;
}
