import type { Logger } from 'pino';
import { systemTimers, within } from '../base/timers.ts';
import { readWorkers } from '../cluster/nodes.ts';
import { describeFailure, isLockTimeout } from '../db/failures.ts';
import { findLockHolder, limitLockWaits } from '../db/lock-holder.ts';
import { isMigrated } from '../db/migrate.ts';
import { databaseTransaction, isExhausted, QueueFullError } from '../db/pool.ts';
import type { Pool, Queryable } from '../db/pool.ts';
import { findSchemaDifferences } from '../db/schema-check.ts';
import type { Schema } from '../db/schema.ts';
import { findWrongSettings } from '../db/session-settings.ts';
import { findWriteObstacle } from '../db/write-check.ts';
import { reused } from './reused.ts';

/** The result of a check that this process can work. */
export interface Readiness {
  /** A text for people; undefined: the process is ready. */
  readonly missing: string | undefined;
  /** Workers of a cluster whose vendors cannot be served now. */
  readonly workersAway: readonly string[];
}

export interface ReadinessCheck {
  /** Callers within a second share an answer. */
  read(): Promise<Readiness>;
  /** From now on the process is not ready, because it is stopping. */
  endForGood(): void;
}

interface ReadinessOptions {
  readonly pool: Pool;
  readonly schema: Schema;
  readonly log: Logger;
  /** All callers share one result for this long. Default: a second. */
  readonly reuseMs?: number;
  /** The database must respond within this time. Default: three seconds. */
  readonly deadlineMs?: number;
}

const REUSE_MS = 1_000;
/** Health checks of load balancers usually give up after 5 s. */
const DEADLINE_MS = 3_000;

/**
 * Checks that the process can do its work: the database is reachable and commits, all migrations are
 * applied, and their constraints, indexes and functions are still in place.
 */
export function createReadiness(options: ReadinessOptions): ReadinessCheck {
  const { log, reuseMs = REUSE_MS, deadlineMs = DEADLINE_MS } = options;
  let stopping = false;
  let underWay: Asking | undefined;
  const readInTime = async (): Promise<Readiness> => {
    // One that hangs is not started a second time: it holds a connection.
    const asking = (underWay ??= startAsking(options, () => {
      underWay = undefined;
    }));
    try {
      return await within(systemTimers, asking.answer, { ms: deadlineMs, message: NO_ANSWER });
    } catch (error) {
      log.warn({ err: error }, 'could not check whether the database is ready');
      return { missing: missingAfter(error, asking, options.pool), workersAway: [] };
    }
  };
  const read = reused(readInTime, reuseMs);
  return {
    read: async () =>
      stopping ? { missing: 'the process is stopping', workersAway: [] } : await read(),
    endForGood: () => {
      stopping = true;
    },
  };
}

/** A check under way. */
interface Asking {
  readonly answer: Promise<Readiness>;
  /** True while the check has no connection yet. */
  readonly isWaiting: () => boolean;
}

function startAsking(options: ReadinessOptions, onEnd: () => void): Asking {
  let isWaiting = true;
  const answer = ask(options, () => {
    isWaiting = false;
  });
  return { answer: answer.finally(onEnd), isWaiting: () => isWaiting };
}

const NO_ANSWER = 'the database does not answer, or does not confirm commits';

/** Why the check has failed. The database is not at fault if our own work has all connections. */
function missingAfter(error: unknown, { isWaiting }: Asking, pool: Pool): string {
  if (error instanceof QueueFullError || (isWaiting() && isExhausted(pool))) {
    const { max, application_name: name = '' } = pool.options;
    return `a free connection to the database: all ${max} of the pool ${name.replace(/^malipo /, '')} are in use`;
  }
  const isLate = error instanceof Error && error.message === NO_ANSWER;
  return isLate ? NO_ANSWER : describeFailure(error);
}

/** @param onConnected called when there is a connection. */
async function ask(options: ReadinessOptions, onConnected: () => void): Promise<Readiness> {
  const { pool } = options;
  const missing = await findMissing(options, onConnected);
  if (missing !== undefined) return { missing, workersAway: [] };
  const workers = await readWorkers(pool);
  const away = workers.filter(({ answers }) => !answers);
  return { missing, workersAway: away.map(({ address }) => address) };
}

/**
 * Waits for a lock for half of the deadline only, so that the answer names the lock, and not a database
 * that does not answer.
 */
async function findMissing(
  { pool, schema, log, deadlineMs = DEADLINE_MS }: ReadinessOptions,
  onConnected: () => void,
): Promise<string | undefined> {
  try {
    return await databaseTransaction(pool, async (client) => {
      onConnected();
      await limitLockWaits(client, Math.ceil(deadlineMs / 2));
      return (await findWrongState(client, schema)) ?? (await findWriteObstacle(client));
    });
  } catch (error) {
    const holder = isLockTimeout(error)
      ? await findLockHolder(pool).catch(() => undefined)
      : undefined;
    if (holder === undefined) throw error;
    log.warn({ err: error, holder }, 'could not check whether the database is ready');
    return `${describeFailure(error)}: session ${holder}`;
  }
}

async function findWrongState(client: Queryable, schema: Schema): Promise<string | undefined> {
  if (!(await isMigrated(client, schema))) return 'migrations';
  const [wrong] = await findWrongSettings(client);
  if (wrong !== undefined) return wrong;
  const [damage] = await findSchemaDifferences(client, { additions: 'none' });
  return damage;
}
