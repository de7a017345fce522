import { readFile } from 'node:fs/promises';
import { until } from '../support/until.ts';

/** SIGKILL to the server and to the processes that serve its connections. */
export async function killPostgres({ pid }: { readonly pid: number }): Promise<void> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  for (const victim of [String(pid), ...children.split(' ').filter((name) => name !== '')]) {
    try {
      process.kill(Number(victim), 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
  await until('the database server has ended', () => !isThere(pid));
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
