import { Pool as PgPool, types as pgTypes } from 'pg';
import type { CustomTypesConfig, PoolClient, PoolConfig, QueryResult, QueryResultRow } from 'pg';
import { Refusal } from '../base/errors.ts';
import { LIMITS } from '../base/limits.ts';
import { traced } from '../base/tracing.ts';
import { LookingUpClient } from './client.ts';
import { clientOf, readHosts } from './hosts.ts';
import { applySessionSettings } from './session-settings.ts';

/** The database access that stores need: a pool, or one client inside a database transaction. */
export interface Queryable {
  query<Row extends QueryResultRow>(
    statement: string | NamedStatement,
    values?: readonly unknown[],
  ): Promise<QueryResult<Row>>;
}

/** A statement that is prepared once for each connection. */
export interface NamedStatement {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

export type Pool = PgPool;

type OnConnect = (
  error: Error | undefined,
  client: PoolClient | undefined,
  done: (release?: Error | boolean) => void,
) => void;

export class QueueFullError extends Error {
  override readonly name = 'QueueFullError';
  constructor() {
    super('The queue of connections to the database is full');
  }
}

/** The process is stopping, and what asks for a connection was cut off. */
export class PoolEndedError extends Error {
  override readonly name = 'PoolEndedError';
  constructor() {
    super('The service is stopping, and its access to the database has ended');
  }
}

/**
 * `pg`'s pool lets any number of callers wait for a connection; this one refuses callers beyond a
 * limit.
 */
class BoundedPool extends PgPool {
  /** Connections that callers have. One that is being opened does not count. */
  inUse = 0;

  constructor(options: PoolConfig) {
    super(options);
    this.on('acquire', () => (this.inUse += 1));
    this.on('release', () => (this.inUse -= 1));
  }

  override connect(): Promise<PoolClient>;
  override connect(onConnect: OnConnect): void;
  override connect(onConnect?: OnConnect): Promise<PoolClient> | undefined {
    if (this.ending || this.waitingCount >= LIMITS.poolQueue) {
      const error = this.ending ? new PoolEndedError() : new QueueFullError();
      if (onConnect === undefined) return Promise.reject(error);
      process.nextTick(onConnect, error, undefined, () => undefined);
      return undefined;
    }
    if (onConnect === undefined) return super.connect();
    super.connect(onConnect);
    return undefined;
  }
}

/** True while every connection that the pool may open is in use, so that further callers wait. */
export function isExhausted(pool: Pool): boolean {
  return pool instanceof BoundedPool && pool.inUse >= pool.options.max;
}

type TypeId = Parameters<typeof pgTypes.getTypeParser>[0];

const parseTime: (text: string) => unknown = pgTypes.getTypeParser(
  pgTypes.builtins.TIMESTAMPTZ,
  'text',
);
/** In every time zone their years have four digits, as texts and cursors need. */
const FIRST_TIME = new Date('0001-01-02T00:00:00Z');
const LAST_TIME = new Date('9999-12-31T00:00:00Z');

/**
 * A time that cannot be written with a year of four digits, such as `infinity`, is read as the first or the last
 * that can. Somebody may put one into the database, and a list must show its other rows.
 */
function readTime(text: string): Date {
  const time = parseTime(text);
  if (time instanceof Date && time >= FIRST_TIME && time <= LAST_TIME) return time;
  return new Date(text.startsWith('-') || text.endsWith('BC') ? FIRST_TIME : LAST_TIME);
}

// Amounts are int8: read as bigint, never as a double. `pg` reads all other types.
const types: CustomTypesConfig = {
  getTypeParser: ((oid: TypeId, format?: 'text' | 'binary') => {
    if (oid === pgTypes.builtins.INT8 && format !== 'binary') return BigInt;
    if (oid === pgTypes.builtins.TIMESTAMPTZ && format !== 'binary') return readTime;
    return pgTypes.getTypeParser(oid, format);
  }) as typeof pgTypes.getTypeParser,
};

export interface PoolOptions {
  /** May name several hosts: see `hosts.ts`. */
  readonly url: string;
  /** Maximum number of connections. */
  readonly max: number;
  /** Shown in pg_stat_activity. */
  readonly name: string;
  /**
   * A statement that runs longer is cancelled by the server. Without an answer for twice as long, the
   * connection is given up. 0: no limit.
   */
  readonly statementTimeoutMs?: number;
  /**
   * Plan with indexes only, each row by a look-up. For the hot path: its statements look up a few
   * rows each. A plan prepared while a table was small or a queue empty would otherwise scan the
   * table forever (decision 23).
   */
  readonly byIndexOnly?: boolean;
  /**
   * Plan without parallel workers. For statements about few rows: in large tables PostgreSQL expects more
   * rows than there are, and starting a worker takes longer than reading them.
   */
  readonly serial?: boolean;
  /**
   * A caller waits 30 s for a connection instead of 5. For a start and for commands, which fail without one:
   * on a slow machine where several programs start at once, opening it may take more than 5 s.
   */
  readonly patient?: boolean;
  /** Before a new connection is used; if it throws, the connection is closed. */
  readonly verify?: (client: Queryable) => Promise<void>;
  /** Called for errors of idle connections, which would otherwise go unnoticed. */
  readonly onError?: (error: Error) => void;
}

/** Opens a pool on the database of its provider, which also closes it. */
export type OpenPool = (
  options: Pick<PoolOptions, 'name' | 'max' | 'byIndexOnly' | 'serial'>,
) => Pool;

const CONNECT_MS = 5_000;
const PATIENT_CONNECT_MS = 30_000;
const LOCK_TIMEOUT_MS = 10_000;
const IDLE_IN_TRANSACTION_MS = 15_000;

/**
 * A connection pool that reads int8 as bigint, limits statement and lock-wait times, and applies
 * `session-settings.ts` whatever the server's defaults are.
 */
export function createPool(options: PoolOptions): Pool {
  const statementTimeoutMs = options.statementTimeoutMs ?? 15_000;
  const hosts = readHosts(options.url);
  const [url = options.url] = hosts?.urls ?? [];
  const pool = new BoundedPool({
    connectionString: url,
    Client: hosts?.mustBeWritable === true ? clientOf(hosts) : LookingUpClient,
    max: options.max,
    application_name: `malipo ${options.name}`,
    types,
    connectionTimeoutMillis: options.patient === true ? PATIENT_CONNECT_MS : CONNECT_MS,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    query_timeout: 2 * statementTimeoutMs,
    // The pool waits for the promise, although its type declaration does not say so.
    onConnect: (async (client: PoolClient) => {
      await applySessionSettings(client, url, {
        statementTimeoutMs,
        lockTimeoutMs: LOCK_TIMEOUT_MS,
        idleInTransactionMs: IDLE_IN_TRANSACTION_MS,
        byIndexOnly: options.byIndexOnly === true,
        serial: options.serial === true,
      });
      await options.verify?.(client);
    }) as unknown as undefined,
  });
  // Without listeners a lost connection would end the process: one that a caller has, and an idle one.
  pool.on('connect', (client) => client.on('error', ignoreError));
  pool.on('error', (error) => {
    // It does not matter that connections break while the pool is being closed.
    if (!pool.ending) options.onError?.(error);
  });
  return pool;
}

// The caller's next query reports it.
function ignoreError(): void {}

/**
 * Runs `work` in one database transaction. Any error rolls back and is rethrown. A client whose
 * connection is in doubt is destroyed, never reused.
 * Throws: `outcome_unknown` when the connection was lost during the commit, which may have
 * succeeded.
 */
export async function databaseTransaction<Result>(
  pool: Pool,
  work: (client: Queryable) => Promise<Result>,
): Promise<Result> {
  return await traced('database transaction', {}, async () => await inOwnTransaction(pool, work));
}

/** Runs `work` in the caller's database transaction, or with a pool in one of its own. */
export async function withinTransaction<Result>(
  db: Queryable,
  work: (client: Queryable) => Promise<Result>,
): Promise<Result> {
  return await (db instanceof PgPool ? databaseTransaction(db, work) : work(db));
}

async function inOwnTransaction<Result>(
  pool: Pool,
  work: (client: Queryable) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  let committing = false;
  const onError = (error: Error): void => {
    broken = error;
  };
  client.on('error', onError);
  try {
    await client.query('begin');
    const result = await work(client);
    committing = true;
    await client.query('commit');
    return result;
  } catch (error) {
    if (isConnectionError(error)) {
      broken = error as Error;
      if (committing) throw new Refusal('outcome_unknown', { retryAfterSeconds: 5, cause: error });
    } else {
      await client.query('rollback').catch((rollbackError: Error) => (broken = rollbackError));
      if (isReadOnly(error)) broken = error as Error;
    }
    throw error;
  } finally {
    client.off('error', onError);
    client.release(broken);
  }
}

/** Who was chosen to give way in a deadlock may meet the other one again. */
const ATTEMPTS = 5;

/**
 * Like `databaseTransaction`, and again if it collided with another one, up to five times in all. For work that somebody
 * waits for, and that does nothing outside of the database.
 */
export async function repeatableTransaction<Result>(
  pool: Pool,
  work: (client: Queryable) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await databaseTransaction(pool, work);
    } catch (error) {
      if (attempt === ATTEMPTS || !isConflict(error)) throw error;
    }
  }
}

/** Deadlock or serialization failure: rolled back, and can be tried again. */
export function isConflict(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return code === '40P01' || code === '40001';
}

/**
 * Runs `work` in one database transaction on a connection that the caller holds, such as a lane's.
 * `undefined`, or any error, rolls back. Throws the error, or that of the rollback if it fails,
 * which means that the connection is in doubt.
 */
export async function inTransaction<Result>(
  db: Queryable,
  work: () => Promise<Result>,
): Promise<Result> {
  await db.query('begin');
  try {
    const result = await work();
    await db.query(result === undefined ? 'rollback' : 'commit');
    return result;
  } catch (error) {
    // A lost connection has nothing to roll back, and after a time-out it is still busy.
    if (!isConnectionError(error) || isLostWorker(error)) await db.query('rollback');
    throw error;
  }
}

/** A read-only snapshot: everything read inside belongs to the same instant. */
export async function snapshot<Result>(
  pool: Pool,
  work: (client: Queryable) => Promise<Result>,
): Promise<Result> {
  return await databaseTransaction(pool, async (client) => {
    await client.query('set transaction isolation level repeatable read, read only');
    return await work(client);
  });
}

/** Socket errors of a peer that is unreachable or gone. */
const SOCKET_CODES: ReadonlySet<string> = new Set([
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** True if the error is only about the connection, not about the statement. */
const LOST_WORKER =
  /failure on connection|EOF detected|SSL SYSCALL|server closed the connection|connection not open/;

export function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as NodeJS.ErrnoException;
  // A Unix socket is missing, or closed to us, while its server is stopped.
  if (syscall === 'connect') return true;
  if (typeof code !== 'string') return /connection|terminated|socket|timeout/i.test(error.message);
  // Citus reports a worker that it lost in the middle of a statement as an internal error.
  if (code === 'XX000') return LOST_WORKER.test(error.message);
  // Class 08: connection exceptions; class 57P: the server is going away.
  return code.startsWith('08') || code.startsWith('57P') || SOCKET_CODES.has(code);
}

/**
 * True for a connection error that the server itself reports on a connection that stays usable: on a
 * cluster, the coordinator cannot reach a worker.
 */
export function isLostWorker(error: unknown): boolean {
  return isConnectionError(error) && (error as { severity?: unknown }).severity === 'ERROR';
}

/** True of a lost worker that was away before anything was sent to it. */
export function wasAway(error: unknown): boolean {
  return isLostWorker(error) && /Connection refused|No route to host/.test(String(error));
}

/**
 * True if the server accepts no writes. It may have become a standby and another server the
 * primary, so its connection is closed and the next one finds the primary.
 */
export function isReadOnly(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === '25006';
}

/** True if the database could not be reached, any more or at present, or refused to accept writes. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof PoolEndedError || isConnectionError(error)) return true;
  const code = (error as { code?: unknown } | null)?.code;
  // 53: out of disk, memory or connections; 25006: read-only; 55P03: lock wait; 57014: statement
  // time-out; 40P01: deadlock; 40001: serialization failure. Nothing was committed.
  return (
    typeof code === 'string' &&
    (code.startsWith('53') || ['25006', '55P03', '57014', '40P01', '40001'].includes(code))
  );
}
