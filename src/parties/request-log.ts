import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Clock } from '../platform/base/clock.ts';
import { DAY_MS } from '../platform/base/days.ts';
import { LIMITS } from '../platform/base/limits.ts';
import type { Pool, Queryable } from '../platform/db/pool.ts';
import { startPeriodicJob } from '../platform/jobs/periodic-job.ts';
import type { PeriodicJob } from '../platform/jobs/periodic-job.ts';
import { startRetention } from '../platform/jobs/retention.ts';
import type { RetentionTiming } from '../platform/jobs/retention.ts';
import type { VendorDirectory } from './directory.ts';
import { deleteRequestsBefore, insertRequests, listRequests } from './request-log-store.ts';
import type { LoggedRequest } from './request-log-store.ts';
import { listVendors } from './read-vendors.ts';

export type { LoggedRequest } from './request-log-store.ts';

/** A vendor's requests as long as they are kept, newest first. */
export async function readRequests(
  db: Queryable,
  clock: Clock,
  vendorId: number,
  page: Omit<Parameters<typeof listRequests>[2], 'since'>,
): Promise<LoggedRequest[]> {
  const since = new Date(clock.now().getTime() - LIMITS.requestLogDays * DAY_MS);
  return await listRequests(db, vendorId, { ...page, since });
}

/** An answer, as the HTTP server reports it. */
export interface AnsweredRequest {
  readonly requestId: string;
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
  /** Fields of the log line: `vid`, `code`, `key_id`. */
  readonly fields: Readonly<Record<string, string>> | undefined;
}

export interface RequestLog {
  /** Keeps the answer in memory until the next write. Never throws, and never waits. */
  note(answer: AnsweredRequest): void;
  /**
   * Writes what is kept.
   * @param pause waited for after at least `LIMITS.requestLogBatchRows` rows, if more follow.
   */
  flush(pause?: () => Promise<void>): Promise<void>;
  /** Requests that were left out, because there were too many, or the database could not be written. */
  readonly dropped: number;
}

interface Kept {
  readonly rows: LoggedRequest[];
  unproven: number;
}

/**
 * Records answers to vendors for the console, in batches outside the request. What is kept in memory is
 * bounded for each vendor and altogether. Requests whose signature was invalid have a small share of
 * their own, so that a stranger cannot fill a vendor's log, nor displace its requests.
 */
export function createRequestLog(options: {
  /** With one connection. */
  readonly pool: Pool;
  readonly directory: Pick<VendorDirectory, 'vendor' | 'bucketOf'>;
  readonly clock: Clock;
}): RequestLog {
  const { pool, directory, clock } = options;
  let kept = new Map<number, Kept>();
  let size = 0;
  let unproven = 0;
  let dropped = 0;
  return {
    get dropped() {
      return dropped;
    },
    note: ({ requestId, method, route, status, durationMs, fields }) => {
      const vendor = fields?.['vid'] === undefined ? undefined : directory.vendor(fields['vid']);
      // A collector names vendors in requests of its own.
      if (vendor === undefined || fields?.['collector'] !== undefined) return;
      const { vendorId } = vendor;
      const keyId = fields?.['key_id'] ?? null;
      const code = fields?.['code'] ?? null;
      // Otherwise a stranger's limit would not limit what is written.
      if (keyId === null && code === 'too_many_requests') return;
      const own = kept.get(vendorId) ?? { rows: [], unproven: 0 };
      if (!hasRoom(own, keyId, { size, unproven })) {
        dropped += 1;
        return;
      }
      kept.set(vendorId, own);
      size += 1;
      if (keyId === null) {
        own.unproven += 1;
        unproven += 1;
      }
      const durationUs = Math.min(Math.round(durationMs * 1000), MAX_DURATION_US);
      const at = clock.now();
      own.rows.push({ vendorId, at, requestId, method, route, status, code, durationUs, keyId });
    },
    flush: async (pause) => {
      if (size === 0) return;
      const rows = [...kept.values()].flatMap((own) => own.rows);
      kept = new Map();
      size = 0;
      unproven = 0;
      let written = 0;
      try {
        for (const { bucket, batch, isAfterMany } of batchesOf(rows, directory)) {
          if (isAfterMany) await pause?.();
          await insertRequests(pool, bucket, batch);
          written += batch.length;
        }
      } finally {
        dropped += rows.length - written;
      }
    },
  };
}

/** Rows of one bucket. */
interface Batch {
  readonly bucket: number;
  readonly batch: readonly LoggedRequest[];
  /** True if at least `LIMITS.requestLogBatchRows` rows precede it since the last such batch. */
  readonly isAfterMany: boolean;
}

/** Thousands of rows in one statement would keep requests waiting for as long as it runs. */
function* batchesOf(
  rows: readonly LoggedRequest[],
  directory: Pick<VendorDirectory, 'bucketOf'>,
): Iterable<Batch> {
  const max = LIMITS.requestLogBatchRows;
  let count = 0;
  for (const [bucket, own] of Map.groupBy(rows, (row) => directory.bucketOf(row.vendorId))) {
    for (let from = 0; from < own.length; from += max) {
      const batch = own.slice(from, from + max);
      const isAfterMany = count >= max;
      yield { bucket, batch, isAfterMany };
      count = (isAfterMany ? 0 : count) + batch.length;
    }
  }
}

const MAX_DURATION_US = 2_147_483_647;

function hasRoom(
  own: Kept,
  keyId: string | null,
  all: { readonly size: number; readonly unproven: number },
): boolean {
  if (all.size >= LIMITS.requestLogRows || own.rows.length >= LIMITS.requestLogRowsPerVendor) {
    return false;
  }
  return (
    keyId !== null ||
    (all.unproven < LIMITS.requestLogUnproven && own.unproven < LIMITS.requestLogUnprovenPerVendor)
  );
}

/** Share of the time between two writes that writing a full log takes. */
const SPREAD_SHARE = 0.8;

/** Writes what was noted, and what is left at the stop. */
export function startRequestLogWriter(
  requestLog: RequestLog,
  options: { readonly everyMs: number; readonly log: Logger },
): PeriodicJob {
  const { everyMs, log } = options;
  // The writing itself takes time as well.
  const pauseMs = (SPREAD_SHARE * everyMs * LIMITS.requestLogBatchRows) / LIMITS.requestLogRows;
  const job = startPeriodicJob({
    everyMs,
    fromStart: true,
    work: async (signal) => {
      let dueAtMs = performance.now();
      await requestLog.flush(async () => {
        dueAtMs += pauseMs;
        const pause = delay(Math.max(0, dueAtMs - performance.now()), undefined, { signal });
        // Without a pause once it is stopped.
        await pause.catch(() => undefined);
      });
    },
    failureText: 'requests could not be recorded for the console',
    log,
  });
  return {
    hurry: () => job.hurry(),
    stop: async () => {
      await job.stop();
      await requestLog.flush().catch((error: unknown) => {
        log.warn({ err: error }, 'the last requests could not be recorded for the console');
      });
    },
  };
}

const REMOVED_AT_ONCE = 10_000;

/** Removes requests past retention, in small commits. */
export function startRequestLogRetention({
  pool,
  ...timing
}: RetentionTiming & { readonly pool: Pool }): PeriodicJob {
  return startRetention({
    ...timing,
    what: 'logged requests',
    days: LIMITS.requestLogDays,
    remove: async (before, stopping) => await deleteRequests(pool, before, stopping),
  });
}

async function deleteRequests(pool: Pool, before: Date, stopping: AbortSignal): Promise<number> {
  let total = 0;
  for (const { vendorId } of await listVendors(pool)) {
    // Ends when a round removes fewer than it may.
    while (!stopping.aborted) {
      const removed = await deleteRequestsBefore(pool, vendorId, before, REMOVED_AT_ONCE);
      total += removed;
      if (removed < REMOVED_AT_ONCE) break;
    }
  }
  return total;
}
