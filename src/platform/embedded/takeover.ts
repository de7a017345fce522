import { link, readdir, readFile, readlink, realpath, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { AlreadyRunningError, EmbeddedDatabaseError, OTHER_DATABASE, systemCode } from './error.ts';
import {
  endPostgres,
  formatIdentity,
  identifyProcess,
  isAlive,
  parseIdentity,
  readCommandLine,
  readProgramName,
  signalAndWait,
  waitForEnd,
} from './process.ts';
import type { ProcessIdentity } from './process.ts';

/**
 * Identifies the process that started the server. It is passed on the server's command line, so a
 * kill at any moment cannot leave one recorded without the other. PostgreSQL accepts any setting
 * with a dot in its name.
 */
const OWNER_SETTING = 'malipo.owner';

/** Longest wait for the end of a process that was killed. */
const ENDING_WAIT_MS = 2_000;
const OWNER_ENDING_WAIT_MS = 500;
const EMPTY_LOCK_WAITS = 50;

export function ownerArgs(owner: ProcessIdentity): readonly string[] {
  return ['-c', `${OWNER_SETTING}=${formatIdentity(owner)}`];
}

/** The server that the lock file `postmaster.pid` of a data folder points to. */
export type ServerState =
  | { readonly kind: 'none' }
  /** Left behind. `blocking`: PostgreSQL itself would treat it as a living server’s. */
  | { readonly kind: 'stale'; readonly text: string; readonly blocking: boolean }
  /** A server whose owner was killed. */
  | { readonly kind: 'orphan'; readonly server: ProcessIdentity }
  | {
      readonly kind: 'owned';
      readonly server: ProcessIdentity;
      readonly owner: ProcessIdentity;
      readonly port: number;
      readonly status: string;
    }
  /** A living server that Malipo did not start, or whose owner cannot be determined. */
  | { readonly kind: 'foreign'; readonly pid: number };

/** `postmaster.pid`, which a server writes into its data folder. */
export interface LockFile {
  readonly text: string;
  readonly pid: number;
  readonly port: number;
  /** PostgreSQL's own status word: `starting`, `ready`, `stopping`. */
  readonly status: string;
}

/** The lock file, or undefined if it does not exist. Throws any error from reading it. */
export async function readLockFile(data: string): Promise<LockFile | undefined> {
  try {
    const text = await readFile(path.join(data, 'postmaster.pid'), 'utf8');
    const lines = text.split('\n').map((line) => line.trim());
    // A server in single-user mode writes its pid with a minus sign.
    const pid = Math.abs(Number(lines[0]));
    return { text, pid, port: Number(lines[3]), status: lines[7] || 'starting' };
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Finds out which server, if any, serves a data folder. Throws any error from reading the lock
 * file.
 */
export async function inspectServer(data: string): Promise<ServerState> {
  let lock = await readLockFile(data);
  // A process is between creating and writing it, or was killed there.
  for (let waits = 0; lock?.text === '' && waits < EMPTY_LOCK_WAITS; waits += 1) {
    await delay(20);
    lock = await readLockFile(data);
  }
  if (lock?.text === '') return { kind: 'stale', text: '', blocking: true };
  if (lock === undefined) return { kind: 'none' };
  const { pid, port, status, text } = lock;
  const server = await identifyProcess(pid);
  // PostgreSQL takes a zombie for a living process, so the lock file still blocks it.
  if (server === undefined) return { kind: 'stale', text, blocking: existsForKernel(pid) };
  const words = await readCommandLine(pid);
  if (words === undefined) {
    // The process is ending: it loses its command line before it is gone. Or it is a kernel thread.
    const isServer = (await readProgramName(pid)) === 'postgres';
    const hasEnded = !isServer || (await waitForEnd(server, ENDING_WAIT_MS));
    return hasEnded
      ? { kind: 'stale', text, blocking: existsForKernel(pid) }
      : { kind: 'foreign', pid };
  }
  const served = await servedFolder(words);
  if (served === 'none' || (served !== 'unknown' && served !== data)) {
    return { kind: 'stale', text, blocking: true };
  }
  const owner = ownerOf(words);
  if (owner === undefined) return { kind: 'foreign', pid };
  return (await isAlive(owner))
    ? { kind: 'owned', server, owner, port, status }
    : { kind: 'orphan', server };
}

function ownerOf(words: readonly string[]): ProcessIdentity | undefined {
  const word = words.find((candidate) => candidate.startsWith(`${OWNER_SETTING}=`));
  return parseIdentity(word?.slice(OWNER_SETTING.length + 1) ?? '');
}

function existsForKernel(pid: number): boolean {
  try {
    return Number.isSafeInteger(pid) && pid > 0 && process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Reads a command line: the data folder of a PostgreSQL server; `none` for any other program. */
async function servedFolder(words: readonly string[]): Promise<string> {
  if (path.basename(words[0] ?? '') !== 'postgres') return 'none';
  const folder = words[words.indexOf('-D') + 1];
  if (!words.includes('-D') || folder === undefined || !path.isAbsolute(folder)) return 'unknown';
  return await realpath(folder).catch(() => folder);
}

/**
 * Prepares `data` for a new server: removes a stale lock file, and ends the server of a killed
 * owner.
 * Throws: `EmbeddedDatabaseError` when a server is running that is not ours to end.
 */
export async function makeWay(data: string, log: (line: string) => void): Promise<void> {
  const state = await inspectServer(data);
  if (state.kind === 'stale' && state.blocking) await removeLockFile(data, state.text);
  if (state.kind === 'orphan') {
    log(`Ending the PostgreSQL server ${state.server.pid}, whose owner was killed`);
    await endOrphan(state.server, data);
  }
  if (state.kind === 'owned') {
    if (state.status === 'stopping' && (await waitForEnd(state.server, STOPPING_WAIT_MS))) return;
    // It may have been killed a moment ago; then the server is an orphan.
    if (await waitForEnd(state.owner, OWNER_ENDING_WAIT_MS)) {
      await makeWay(data, log);
      return;
    }
    throw new AlreadyRunningError(
      `Malipo is already running on ${path.dirname(data)} (process ${state.owner.pid}).\nStop it, or set DATA_DIR to another folder. ${OTHER_DATABASE}`,
    );
  }
  if (state.kind === 'foreign') {
    throw new EmbeddedDatabaseError(
      `${data} belongs to a server that Malipo did not start (process ${state.pid}).\nStop that server, or set DATA_DIR to another folder. If process ${state.pid} is not a PostgreSQL server, remove ${data}/postmaster.pid. ${OTHER_DATABASE}`,
    );
  }
}

/** Removes the lock file unless it has been replaced since it was read. */
async function removeLockFile(data: string, text: string): Promise<void> {
  const file = path.join(data, 'postmaster.pid');
  const aside = `${file}.stale-${process.pid}`;
  try {
    await rename(file, aside);
    if ((await readFile(aside, 'utf8')) !== text) await link(aside, file);
    await rm(aside);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
}

const STOPPING_WAIT_MS = 20_000;

const ORPHAN_GRACE_MS = 15_000;

async function endOrphan(server: ProcessIdentity, data: string): Promise<void> {
  try {
    if (await endPostgres(server, ORPHAN_GRACE_MS)) return;
  } catch (error) {
    if (systemCode(error) !== 'EPERM') throw error;
  }
  throw new EmbeddedDatabaseError(
    `${data} is still served by process ${server.pid}, left over from a killed Malipo, and that process could not be ended.\nEnd it (it may belong to another user), or set DATA_DIR to another folder. ${OTHER_DATABASE}`,
  );
}

/**
 * Kills the remaining processes of a killed server. They end by themselves when they notice, but
 * one that computes notices late, and until then the data folder cannot be served again. Their
 * server is gone, so for the data this is the same crash. Finds the processes whose folder /proc
 * shows.
 */
export async function endLeftovers(data: string): Promise<void> {
  for (const name of await readdir('/proc').catch((): string[] => [])) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    if ((await readlink(`/proc/${pid}/cwd`).catch(() => '')) !== data) continue;
    const words = (await readCommandLine(pid)) ?? [];
    const leftover = await identifyProcess(pid);
    // A server's processes call themselves `postgres: <role>`; the server itself does not.
    if (leftover === undefined || words[0]?.startsWith('postgres: ') !== true) continue;
    // It is already gone, or we may not end it; in that case PostgreSQL itself refuses to start.
    await signalAndWait(leftover, 'SIGKILL', 5_000).catch(() => false);
  }
}
