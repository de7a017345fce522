import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { systemCode } from './error.ts';

const run = promisify(execFile);

/** Fixed, so that the caller's environment (PGDATA, PGOPTIONS, LANG) cannot change a program. */
export const PLAIN_ENVIRONMENT = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
};

/** Identifies a process for certain. A pid alone may have been reused since. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started: clock ticks since boot from /proc, elsewhere epoch milliseconds. Digits only. */
  readonly startedAt: string;
}

/** The living process with this pid, or undefined. A zombie does not count as living. */
export async function identifyProcess(pid: number): Promise<ProcessIdentity | undefined> {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  const startedAt = await (process.platform === 'linux' ? startInProc(pid) : startInPs(pid));
  return startedAt === undefined ? undefined : { pid, startedAt };
}

async function startInProc(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (stat === undefined) return undefined;
  // proc(5): the name is in parentheses and may contain parentheses itself; the state is field 3,
  // the start time field 22.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
}

async function startInPs(pid: number): Promise<string | undefined> {
  const text = await readPs(pid, 'stat=,lstart=');
  const match = /^\s*(\S+)\s+(.+)$/.exec(text ?? '');
  const started = Date.parse(match?.[2] ?? '');
  return match?.[1]?.startsWith('Z') === true || Number.isNaN(started)
    ? undefined
    : String(started);
}

async function readPs(pid: number, columns: string): Promise<string | undefined> {
  const args = ['-o', columns, '-p', String(pid)];
  const result = await run('ps', args, { env: PLAIN_ENVIRONMENT }).catch(() => undefined);
  return result?.stdout.trim();
}

/** This process. Throws: when the system does not report when it started. */
export async function identifyOurselves(): Promise<ProcessIdentity> {
  const identity = await identifyProcess(process.pid);
  if (identity === undefined)
    throw new Error('The system does not report when this process started');
  return identity;
}

export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
  return (await identifyProcess(identity.pid))?.startedAt === identity.startedAt;
}

/** `123-456789`, for file names and command lines. */
export function formatIdentity(identity: ProcessIdentity): string {
  return `${identity.pid}-${identity.startedAt}`;
}

export function parseIdentity(text: string): ProcessIdentity | undefined {
  const match = /^(\d+)-(\d+)$/.exec(text);
  return match === null ? undefined : { pid: Number(match[1]), startedAt: match[2] ?? '' };
}

/** The arguments of a process's command line, or undefined if the process is gone or hidden. */
export async function readCommandLine(pid: number): Promise<readonly string[] | undefined> {
  if (process.platform === 'linux') {
    const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    return text === '' ? undefined : text.replace(/\0+$/, '').split('\0');
  }
  const text = await readPs(pid, 'command=');
  return text === undefined || text === '' ? undefined : text.split(/\s+/);
}

/** The name of the program a process runs, which remains readable while the process is ending. */
export async function readProgramName(pid: number): Promise<string | undefined> {
  if (process.platform === 'linux') {
    return (await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => undefined))?.trim();
  }
  const text = await readPs(pid, 'comm=');
  return text === undefined ? undefined : path.basename(text);
}

/** Waits until the process is gone; false if it is still there at the end of the time. */
export async function waitForEnd(identity: ProcessIdentity, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (await isAlive(identity)) {
    if (Date.now() > deadline) return false;
    await delay(10);
  }
  return true;
}

/**
 * Sends a signal unless the process has ended, and waits. True when it is gone.
 * Throws: `EPERM` when the process belongs to another user.
 */
export async function signalAndWait(
  identity: ProcessIdentity,
  signal: NodeJS.Signals,
  timeoutMs: number,
): Promise<boolean> {
  if (!(await isAlive(identity))) return true;
  try {
    process.kill(identity.pid, signal);
  } catch (error) {
    if (systemCode(error) !== 'ESRCH') throw error;
  }
  return await waitForEnd(identity, timeoutMs);
}

/**
 * Ends a PostgreSQL server. Each step may take `graceMs`: SIGINT disconnects all clients and writes
 * a checkpoint, SIGQUIT skips the checkpoint, SIGKILL ends a hung server. True when it is gone.
 * Throws: `EPERM` when the process belongs to another user.
 */
export async function endPostgres(server: ProcessIdentity, graceMs: number): Promise<boolean> {
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    if (await signalAndWait(server, signal, graceMs)) return true;
  }
  return false;
}
