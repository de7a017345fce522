import { createSecretKey } from 'node:crypto';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { hmac } from '../base/mac.ts';
import { findPostgresPackage, findPrograms } from './binaries.ts';
import { placeNow, requireNoOtherPlace, startBeat } from './beat.ts';
import { EmbeddedDatabaseError, explainFailure } from './error.ts';
import { handOver, initialise, locateData, openClusterFolder, readPassword } from './folder.ts';
import { identifyOurselves } from './process.ts';
import { databaseUrl, runServer } from './server.ts';
import { settingsArgs } from './settings.ts';
import { inspectServer, ownerArgs } from './takeover.ts';
import { createLaunch, findServerUser } from './user.ts';

export interface EmbeddedDatabase {
  /** `postgres://…` for `pg`: loopback, the superuser and the database `malipo`. Holds the password. */
  readonly url: string;
  /** The process id of the server, a child of this process. */
  readonly pid: number;
  /** Calls the listener, once, when the server ends without `stop` having been called. */
  onUnexpectedExit(listener: (reason: string) => void): void;
  /** Disconnects all clients and stops; escalates after `stopGraceMs`. May be called again. */
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  /** `DATA_DIR/postgres`; created if missing. */
  readonly folder: string;
  /**
   * Receives the server's log, line by line, and our own lines about problems found and repaired.
   */
  readonly log: (line: string) => void;
  /**
   * PostgreSQL settings by name, over our defaults. Settings that protect the data are rejected.
   */
  readonly settings?: Readonly<Record<string, string>>;
  /**
   * False turns off fsync and related settings. Only for tests whose data may be lost. Default
   * true.
   */
  readonly durable?: boolean;
  /**
   * True: the server leaves our process group, so that Ctrl-C in a terminal reaches only us and we
   * can finish our work before we stop it. Only on systems where the kernel ends it when we are
   * killed; elsewhere it stays in our group. Default false.
   */
  readonly ownProcessGroup?: boolean;
  /** Time given to each way of stopping before the next, more forceful one. Default 15 000. */
  readonly stopGraceMs?: number;
  /** The npm package with the programs. Default: the one for this platform. */
  readonly packageFolder?: string;
  /** Folders for a copy of the programs when the server's user cannot reach the package. */
  readonly cacheParents?: readonly string[];
  /** Chooses a port. Default: a free one. */
  readonly choosePort?: () => Promise<number>;
}

/**
 * Starts the embedded PostgreSQL on its folder, and creates the database on the first start.
 * Recovers from anything that a kill can leave behind: an interrupted first start, a stale lock
 * file, a server whose owner is gone. The server is a child of this process and ends with it.
 * Throws: `EmbeddedDatabaseError`, which says what to do: another Malipo runs on the folder, the
 * folder holds something else, the disk is full, the platform has no PostgreSQL…
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const { log, durable = true } = options;
  const folderPath = path.resolve(options.folder);
  const settings = settingsArgs(options.settings ?? {}, durable);
  const source = await findPostgresPackage(options.packageFolder);
  const folder = await openClusterFolder(folderPath, source.major);
  const place = await placeNow();
  await requireNoOtherPlace(folder.path, place, { log });
  const user = await findServerUser(folder.data);
  const programs = path.join(await findPrograms(source, user, options.cacheParents), 'bin');
  await handOver(folder, user);
  const launch = await createLaunch(user, folder.path);
  if (!folder.initialised) {
    log(`Creating a new database in ${folder.path}`);
    const initdb = path.join(programs, 'initdb');
    await initialise({ folder, launch, user, initdb, durable });
  }
  const endBeat = await startBeat(folder.path, place, log);
  try {
    const server = await runServer({
      data: folder.data,
      password: await readPassword(folder.data),
      program: path.join(programs, 'postgres'),
      args: [...settings, ...ownerArgs(await identifyOurselves())],
      launch,
      ownProcessGroup: options.ownProcessGroup ?? false,
      log,
      stopGraceMs: options.stopGraceMs ?? 15_000,
      ...(options.choosePort === undefined ? {} : { choosePort: options.choosePort }),
    });
    const stop = async (): Promise<void> => {
      await server.stop();
      await endBeat();
    };
    return { ...server, stop };
  } catch (error) {
    await endBeat();
    throw error;
  }
}

const RUNTIME_ROLE = 'malipo_runtime';

/**
 * Derives the URL of an embedded server's runtime role from that of its superuser. The password is
 * derived, so that it needs no file of its own; the superuser’s cannot be computed from it.
 */
export function embeddedRuntimeUrl(ownerUrl: string): string {
  const url = new URL(ownerUrl);
  url.password = hmac(createSecretKey(url.password, 'utf8'), RUNTIME_ROLE, 'base64url');
  url.username = RUNTIME_ROLE;
  return url.href;
}

const STARTUP_WAIT_MS = 30_000;

/**
 * Returns the URL of the server on this folder, or undefined when no server with a living owner runs
 * (then `startEmbedded` may be called). Programs that run alongside a service use this. Waits for a
 * server that is starting or stopping.
 * Throws: `EmbeddedDatabaseError` when the folder may not be read, or the server does not finish
 * starting or stopping.
 */
export async function findRunningEmbedded(folder: string): Promise<string | undefined> {
  const data = await locateData(path.resolve(folder));
  if (data === undefined) return undefined;
  const deadline = Date.now() + STARTUP_WAIT_MS;
  do {
    const state = await inspectServer(data).catch((error: unknown) => {
      throw explainFailure(`Could not look at ${data}`, error);
    });
    if (state.kind !== 'owned') return undefined;
    if (state.status === 'ready') return databaseUrl(await readPassword(data), state.port);
    await delay(50);
  } while (Date.now() < deadline);
  throw new EmbeddedDatabaseError(
    `The database in ${folder} is still starting or stopping. Try again in a while.`,
  );
}
