import { spawnSync } from 'node:child_process';

/** With the folders of programs for administrators. */
export const PATH = `${process.env['PATH']}:/usr/sbin:/sbin`;

/** Whether this machine has the program. */
export function isInstalled(program: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${program}`], { env: { PATH } }).status === 0;
}
