import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { NODE_OPTIONS } from '../../scripts/node-options.ts';
import { until } from './until.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** How a process ended. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A running `node src/main.ts <mode>` in a process group of its own. */
export interface ServiceProcess {
  readonly pid: number;
  /** Its output so far. */
  readonly stdout: string;
  readonly stderr: string;
  /** Undefined while it runs. */
  readonly ending: Ending | undefined;
  /** Resolves when it has ended and all its output has been read. */
  ended(): Promise<Ending>;
  /** Sends a signal to the process alone, or to its whole group, as Ctrl-C in a terminal does. */
  signal(name: NodeJS.Signals, to: 'process' | 'group'): void;
}

/**
 * Starts the real program. It gets only PATH and HOME of this process's environment, so that no other
 * variable affects tests.
 * @param root the folder of the program, for another release of it.
 */
export function startService(
  mode: string,
  env: Readonly<Record<string, string>>,
  options: readonly string[] = [],
  root = ROOT,
): ServiceProcess {
  const child = spawn(process.execPath, [...NODE_OPTIONS, 'src/main.ts', mode, ...options], {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      SHUTDOWN_DELAY_MS: '0',
      ...env,
    },
  });
  const { pid } = child;
  if (pid === undefined) throw new Error('node could not be started');
  let stdout = '';
  let stderr = '';
  let ending: Ending | undefined;
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.once('exit', (code, signal) => (ending = { code, signal }));
  const closed = once(child, 'close');
  return {
    pid,
    get stdout() {
      return stdout;
    },
    get stderr() {
      return stderr;
    },
    get ending() {
      return ending;
    },
    ended: async () => {
      await closed;
      return ending ?? { code: null, signal: null };
    },
    signal: (name, to) => {
      // A group outlives its first process, and its number is not reused before its last process has ended.
      if (to === 'process') child.kill(name);
      else signalGroup(pid, name);
    },
  };
}

function signalGroup(group: number, name: NodeJS.Signals): void {
  try {
    process.kill(-group, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** A file of a process; empty if the process is gone. Its content needs no disk, so a promise costs more than a read. */
function readProcess(pid: number | string, file: 'stat' | 'cmdline'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

/** proc(5): after the name in parentheses come state, parent and process group. Undefined: it has ended. */
function groupOf(pid: number | string): string | undefined {
  const stat = readProcess(pid, 'stat');
  const [state = '', , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ['', 'Z', 'X'].includes(state) ? undefined : group;
}

/** Pids of the living processes whose command line holds `text`, or that are of the group. */
export function processesOf(text: string, group?: number): number[] {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const isFound = (pid: string): boolean => {
    if (readProcess(pid, 'cmdline').includes(text)) return groupOf(pid) !== undefined;
    return group !== undefined && groupOf(pid) === String(group);
  };
  return all.filter(isFound).map(Number);
}

/** Resolves when no process works in the folder, and none of the group is left. */
export async function untilNothingRuns(folder: string, group?: number): Promise<void> {
  let known: number[] = [];
  await until(`the processes of ${folder} end`, () => {
    // All others are read again only once these have ended.
    known = known.filter((pid) => groupOf(pid) !== undefined);
    if (known.length === 0) known = processesOf(folder, group);
    return known.length === 0;
  });
}

// Below the range of ephemeral ports, so that a port that was free when it was chosen is still free
// when the program listens on it.
const FIRST_PORT = 10_240;
const LAST_PORT = 32_000;

// A program listens seconds after its port was chosen. So that two processes do not choose the same one, each
// chooses from a range of its own, by its pid, one port after the other.
const SHARES = 32;
const PORTS = Math.floor((LAST_PORT - FIRST_PORT) / SHARES);
const OWN_FIRST = FIRST_PORT + (process.pid % SHARES) * PORTS;
let chosen = Math.floor(Math.random() * PORTS);

/** A free port of 127.0.0.1. */
export async function findFreePort(): Promise<number> {
  for (let tries = 0; tries < PORTS; tries += 1) {
    chosen = (chosen + 1) % PORTS;
    const port = OWN_FIRST + chosen;
    if (await isFree(port)) return port;
  }
  throw new Error('No port is free');
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
