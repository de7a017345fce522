import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A volume that can be filled up. */
export interface SmallVolume {
  readonly folder: string;
  /** False: this user may not mount, so that the folder is on an ordinary disk. */
  readonly isSmall: boolean;
  /** Takes all the space that is left. */
  fill(): Promise<void>;
  /** Gives it back. */
  empty(): Promise<void>;
  unmount(): Promise<void>;
}

/** Mounts a volume of this size on the folder, which is made. */
export async function mountSmallVolume(folder: string, sizeMb: number): Promise<SmallVolume> {
  await mkdir(folder);
  const isSmall = await run('mount', [
    '-t',
    'tmpfs',
    '-o',
    `size=${sizeMb}m,mode=711`,
    'none',
    folder,
  ]).then(
    () => true,
    () => false,
  );
  const ballast = path.join(folder, 'ballast');
  return {
    folder,
    isSmall,
    fill: async () => {
      if (!isSmall) throw new Error('the volume is not small');
      // The write ends with ENOSPC.
      await writeFile(ballast, Buffer.alloc(sizeMb * 1024 * 1024)).catch(() => undefined);
    },
    empty: async () => await rm(ballast),
    unmount: async () => {
      if (isSmall) await run('umount', [folder]);
    },
  };
}
