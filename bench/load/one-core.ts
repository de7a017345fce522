import { execFile } from 'node:child_process';
import os from 'node:os';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Core of the server and its load generator. PostgreSQL is not moved, but the scheduler prefers an idle
 * core.
 */
const CORE = '0';
const GENERATOR = ['taskset', '-c', CORE, 'chrt', '--batch', '0'] as const;

let isPossible: Promise<boolean> | undefined;

/** True if this machine has more than one core, and the programs for it. */
export async function canShareCore(): Promise<boolean> {
  isPossible ??=
    os.availableParallelism() < 2
      ? Promise.resolve(false)
      : run('taskset', [...GENERATOR.slice(1), 'true']).then(
          () => true,
          () => false,
        );
  return await isPossible;
}

/**
 * Moves a server to one core, and returns the start of a command that runs a load generator on the same one
 * (taskset(1), chrt(1)). On another core, the kernel has to wake the sleeping generator for nearly every
 * response, and counts that as the server’s CPU: in a virtual machine 26 µs of the 80 of a hello. With
 * the policy `batch` it does not interrupt the server, so it runs when the server waits for requests.
 * Empty where that is not possible. Throws: if the server cannot be moved.
 */
export async function shareCore(serverPid: number): Promise<readonly string[]> {
  if (!(await canShareCore())) return [];
  await pin(serverPid, CORE);
  return GENERATOR;
}

/**
 * Moves all threads of a process, also those that compile and collect garbage, to these cores. Its later
 * children stay there. Throws: if there is no taskset.
 */
export async function pin(pid: number, cores: string): Promise<void> {
  await run('taskset', ['--all-tasks', '--pid', '--cpu-list', cores, String(pid)]);
}
