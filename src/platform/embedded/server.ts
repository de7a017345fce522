import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { explainFailure } from './error.ts';
import { SUPERUSER } from './folder.ts';
import { endPostgres, identifyProcess } from './process.ts';
import { endLeftovers, makeWay, readLockFile } from './takeover.ts';
import type { Launch, ServerProcess } from './user.ts';

/** A server that logs nothing for this long while it starts has failed. */
const START_TIMEOUT_MS = 30_000;
/** Recovery after a crash takes as long as the log is; the server logs that it continues. */
const RECOVERY_TIMEOUT_MS = 15 * 60_000;
const MAX_START_ATTEMPTS = 100;
const DATABASE = 'malipo';

export interface ServerOptions {
  readonly data: string;
  readonly password: string;
  /** The `postgres` program. */
  readonly program: string;
  /** Settings and the owner; the port and the data folder are added. */
  readonly args: readonly string[];
  readonly launch: Launch;
  readonly ownProcessGroup: boolean;
  readonly log: (line: string) => void;
  /** Time given to each way of stopping before the next, more forceful one. */
  readonly stopGraceMs: number;
  /** Chooses a port; another attempt asks again if the port is already in use. */
  readonly choosePort?: () => Promise<number>;
}

export interface RunningServer {
  readonly url: string;
  readonly pid: number;
  onUnexpectedExit(listener: (reason: string) => void): void;
  stop(): Promise<void>;
}

/**
 * Runs a server on the data folder and waits until it accepts connections.
 * Throws: `EmbeddedDatabaseError`, with the last lines of the server's log.
 */
export async function runServer(options: ServerOptions): Promise<RunningServer> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  let last = '';
  for (let attempt = 0; attempt < MAX_START_ATTEMPTS && Date.now() < deadline; attempt += 1) {
    await makeWay(options.data, options.log);
    const port = await (options.choosePort ?? findFreePort)();
    const child = watch(options, port);
    const url = databaseUrl(options.password, port);
    if (await waitUntilReady(child, options, port)) return running(child, url, options.stopGraceMs);
    last = await child.logTail();
    await recoverFrom(last, options);
  }
  throw explainFailure(`PostgreSQL did not start on ${options.data}`, last);
}

/** The URL of one of our servers. `sslmode` overrides PGSSLMODE of the environment. */
export function databaseUrl(password: string, port: number, database = DATABASE): string {
  return `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/${database}?sslmode=disable`;
}

/** Returns if another attempt may succeed. Throws: `EmbeddedDatabaseError` if it cannot. */
async function recoverFrom(logTail: string, options: ServerOptions): Promise<void> {
  // Another program took the port after we chose it.
  if (/could not create any TCP\/IP sockets|Address already in use/.test(logTail)) return;
  if (/lock file ".*" (already exists|is empty)/.test(logTail)) {
    // Another process started first; the next attempt finds out which.
    await delay(50);
    return;
  }
  if (/pre-existing shared memory block/.test(logTail)) {
    await endLeftovers(options.data);
    await delay(50);
    return;
  }
  throw explainFailure(`PostgreSQL did not start on ${options.data}`, logTail);
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

interface WatchedProcess {
  readonly child: ServerProcess;
  /** Resolves when the process is gone, with its exit. */
  readonly ended: Promise<string>;
  hasEnded(): boolean;
  /** When it was started or last logged a line, in epoch milliseconds. */
  lastSignMs(): number;
  /** The end of its log, complete once the process is gone. */
  logTail(): Promise<string>;
}

function watch(options: ServerOptions, port: number): WatchedProcess {
  const { launch, data, log } = options;
  const args = ['-D', data, '-p', String(port), ...options.args];
  const child = launch(options.program, args, {
    deathSignal: 'INT',
    ownProcessGroup: options.ownProcessGroup,
  });
  // For systems where the kernel does not signal the server when we die.
  const onOurExit = (): void => void child.kill('SIGINT');
  process.on('exit', onOurExit);
  const tail: string[] = [];
  let lastSignMs = Date.now();
  const take = (line: string): void => {
    lastSignMs = Date.now();
    tail.push(line);
    if (tail.length > 20) tail.shift();
    log(line);
  };
  const drained = [child.stdout, child.stderr].map((stream) => {
    const lines = createInterface({ input: stream });
    lines.on('line', take);
    return once(lines, 'close');
  });
  let gone = false;
  const ended = new Promise<string>((resolve) => {
    const end = (reason: string): void => {
      gone = true;
      process.off('exit', onOurExit);
      resolve(reason);
    };
    child.once('error', (error) => {
      tail.push(error.message);
      end(error.message);
    });
    child.once('exit', (code, signal) => end(`exit by ${signal ?? `code ${code}`}`));
  });
  const logTail = async (): Promise<string> => {
    const reason = await ended;
    // A child process of the server could keep the pipe open.
    await Promise.race([Promise.all(drained), delay(500, undefined, { ref: false })]);
    return tail.length > 0 ? tail.join('\n') : reason;
  };
  return { child, ended, hasEnded: () => gone, lastSignMs: () => lastSignMs, logTail };
}

/** True once we have connected and the database exists, false if the process ended before. */
async function waitUntilReady(server: WatchedProcess, options: ServerOptions, port: number) {
  const hardDeadline = Date.now() + RECOVERY_TIMEOUT_MS;
  const url = databaseUrl(options.password, port, 'postgres');
  while (!server.hasEnded()) {
    // Wait for the server's own log line first: until then another program may be listening on the
    // port.
    const failure = (await saysReady(options.data, server)) ? await tryConnection(url) : undefined;
    if (failure === 'connected') return true;
    const deadline = Math.min(server.lastSignMs() + START_TIMEOUT_MS, hardDeadline);
    const wrongPassword = failure?.code?.startsWith('28') === true;
    if (wrongPassword || Date.now() > deadline) {
      await endServer(server, options.stopGraceMs);
      const doing = wrongPassword
        ? `The password in ${options.data} is not the database’s; restore the file`
        : `PostgreSQL accepted no connection on ${options.data}`;
      const cause = failure ?? new Error(await server.logTail());
      throw explainFailure(doing, cause);
    }
    await Promise.race([server.ended, delay(10)]);
  }
  return false;
}

async function saysReady(data: string, server: WatchedProcess): Promise<boolean> {
  const lock = await readLockFile(data);
  return lock !== undefined && lock.pid === server.child.pid && lock.status === 'ready';
}

interface ConnectionFailure extends Error {
  readonly code?: string;
}

/** Connects once and creates our database if it is missing. Otherwise returns the error. */
async function tryConnection(connectionString: string): Promise<ConnectionFailure | 'connected'> {
  const client = new Client({ connectionString, connectionTimeoutMillis: 5_000 });
  // A broken connection fails its queries; without a listener it would also end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const found = await client.query('select 1 from pg_database where datname = $1', [DATABASE]);
    if (found.rowCount === 0) await client.query(`create database ${DATABASE}`);
    return 'connected';
  } catch (error) {
    return error as ConnectionFailure;
  } finally {
    // The result was returned above.
    await client.end().catch(() => undefined);
  }
}

async function endServer(server: WatchedProcess, graceMs: number): Promise<void> {
  // The pid cannot be reused until we have been notified of its exit.
  const identity = server.hasEnded() ? undefined : await identifyProcess(server.child.pid ?? 0);
  if (identity !== undefined) await endPostgres(identity, graceMs);
  await server.ended;
}

function running(server: WatchedProcess, url: string, stopGraceMs: number): RunningServer {
  let stopping: Promise<void> | undefined;
  return {
    url,
    pid: server.child.pid ?? 0,
    onUnexpectedExit: (listener) => {
      const report = async (): Promise<void> => {
        const reason = await server.ended;
        if (stopping === undefined) listener(reason);
      };
      void report();
    },
    stop: async () => {
      stopping ??= endServer(server, stopGraceMs);
      await stopping;
    },
  };
}
