import type { Logger } from 'pino';
import { newId } from '../../platform/base/ids.ts';
import { startPeriodicJob } from '../../platform/jobs/periodic-job.ts';
import type { PeriodicJob } from '../../platform/jobs/periodic-job.ts';
import { databaseTransaction } from '../../platform/db/pool.ts';
import { readFilesOfToday } from '../bureaus/registry.ts';
import { readMerged, readSurvivors } from '../registry/read-merges.ts';
import type { FileOwner } from '../registry/files-store.ts';
import { scoreFile } from '../scorecards/score.ts';
import type { Scorecards } from '../scorecards/scorecard.ts';
import { eventsOf, knownOf } from './watch-events.ts';
import { announce, listVendorsDue, lockDue, recordKnown } from './store.ts';
import type { DueWatch } from './store.ts';

/** Watches that are checked in one commit. */
const PAGE_WATCHES = 200;

export type WatchOptions = Parameters<typeof readFilesOfToday>[0] & {
  /** The cards in force. */
  readonly cards: () => Scorecards;
  /** Interval between two checks of a customer. */
  readonly everyMs: number;
};

/** Checks watched customers, and reports changes to their vendors. */
export function startWatching(
  options: WatchOptions & { readonly pollMs: number; readonly log: Logger },
): PeriodicJob {
  return startPeriodicJob({
    everyMs: options.pollMs,
    work: async (stopping) => await watchAll(options, stopping),
    failureText: 'watched customers could not be checked',
    log: options.log,
  });
}

/** Checks every watch that is due. Returns their number. */
export async function watchAll(options: WatchOptions, stopping?: AbortSignal): Promise<number> {
  const now = options.clock.now();
  let count = 0;
  for (const vendorId of await listVendorsDue(options.pool, now)) {
    let page = 0;
    do {
      page = stopping?.aborted === true ? 0 : await watchSome(options, vendorId, now);
      count += page;
    } while (page === PAGE_WATCHES);
  }
  return count;
}

/** An event and the record of it are one commit, so an interrupted process reports nothing twice. */
async function watchSome(options: WatchOptions, vendorId: number, now: Date): Promise<number> {
  return await databaseTransaction(options.pool, async (client) => {
    const due = await lockDue(client, { vendorId, now, limit: PAGE_WATCHES });
    const owners = await ownersOf(options, due);
    const files = await readFilesOfToday(options, [...owners.values()], vendorId);
    for (const watch of due) {
      const owner = owners.get(watch.crn);
      const file = owner && files.get(owner.crn);
      if (file === undefined) continue;
      const seen = knownOf(file, scoreFile(file, 'generic', options.cards()), vendorId);
      const { requestReference, scoreDrop } = watch;
      const { events, known } =
        watch.known === null
          ? { events: [], known: seen }
          : eventsOf(watch.known, seen, { file, vendorId, scoreDrop });
      for (const { type, ...facts } of events) {
        const details = { requestReference, crn: String(owner?.crn), ...facts };
        await announce(client, { vendorId, eventId: newId(), type, details });
      }
      const dueAt = new Date(now.getTime() + options.everyMs);
      await recordKnown(client, { vendorId, requestReference, known, dueAt });
    }
    return due.length;
  });
}

/** The current subject of each watch, by the watched reference: subjects may have been merged since. */
async function ownersOf(
  { pool }: WatchOptions,
  due: readonly DueWatch[],
): Promise<ReadonlyMap<bigint, FileOwner>> {
  const crns = due.map(({ crn }) => crn);
  const survivors = await readSurvivors(pool, crns);
  const merged = await readMerged(
    pool,
    crns.map((crn) => survivors.get(crn) ?? crn),
  );
  return new Map(
    crns.map((watched) => {
      const crn = survivors.get(watched) ?? watched;
      return [watched, { crn, members: [crn, ...(merged.get(crn) ?? [])] }];
    }),
  );
}
