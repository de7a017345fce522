import { fstatSync, statfsSync } from 'node:fs';
import { PlainError } from '../platform/base/plain-error.ts';
import type { TextStream } from './output.ts';

/** More than any answer with a secret. */
const ROOM_BYTES = 65_536;

/**
 * Makes sure that the disk has room for a command's answer before the command changes anything: a secret that is
 * shown only once would be lost. Throws: `PlainError`.
 */
export function requireRoom(stdout: TextStream & { readonly fd?: unknown }): void {
  const { fd } = stdout;
  if (typeof fd !== 'number' || !fstatSync(fd).isFile()) return;
  const { blocks, bavail, bsize } = statfsSync(`/dev/fd/${fd}`);
  // Some file systems do not say.
  if (blocks === 0 || bavail * bsize >= ROOM_BYTES) return;
  throw new PlainError('The disk of the output is full, so nothing was done. Free some space.');
}
