import { execFile } from 'node:child_process';
import os from 'node:os';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Of the server and its load generator; PostgreSQL has the others. */
const CORE = '0';

/**
 * Moves a server to one core, and returns the start of a command that runs a load generator on the same one
 * (taskset(1), chrt(1)). On another core, the kernel has to wake the sleeping generator for nearly every
 * response, and counts that as the server’s CPU: in a virtual machine 26 µs of the 80 of a hello. With
 * the policy `batch` it does not interrupt the server, so it runs when the server waits for requests.
 * Empty without these programs or with a single core; then the server is not moved.
 */
export async function shareCore(serverPid: number): Promise<readonly string[]> {
  if (os.availableParallelism() < 2) return [];
  const generator = ['taskset', '-c', CORE, 'chrt', '--batch', '0'];
  try {
    // The generator’s, with a command that does nothing.
    await run('taskset', [...generator.slice(1), 'true']);
    // All threads, also those that compile and collect garbage.
    await run('taskset', ['--all-tasks', '--pid', '--cpu-list', CORE, String(serverPid)]);
  } catch {
    return [];
  }
  return generator;
}
