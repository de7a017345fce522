import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { PlainError } from '../base/plain-error.ts';
import type { Storage } from '../storage/storage.ts';
import { totalBytes } from './manifest.ts';
import { inParallel } from './stored.ts';
import { takeBackup } from './take.ts';
import type { Backup, BackupOptions } from './take.ts';
import { uploadBackup } from './upload.ts';

/**
 * Takes a backup into a temporary folder of the data folder, and from there to an empty location in a
 * bucket. What is sent is signed with its hash, so the server refuses a damaged upload.
 * Throws: `PlainError` when the location has files, or there is no room.
 */
export async function takeBackupToBucket(
  options: Omit<BackupOptions, 'folder' | 'deliver'> & { readonly dataDir: string },
  storage: Storage,
): Promise<Backup> {
  const { dataDir, onProgress } = options;
  const [found] = await storage.list();
  if (found !== undefined) {
    throw new PlainError(`${storage.place} is not empty. Use a new location for each backup.`);
  }
  await mkdir(dataDir, { recursive: true });
  const temporary = await mkdtemp(path.join(dataDir, 'backup-'));
  try {
    return await takeBackup({
      ...options,
      folder: path.join(temporary, 'backup'),
      deliver: async (folder, manifest) => {
        const allBytes = totalBytes(manifest);
        const onSent = (doneBytes: number): void => onProgress?.('sending', doneBytes, allBytes);
        await uploadBackup(folder, manifest, storage, onSent).catch(async (error: unknown) => {
          await removeAll(storage).catch(() => undefined);
          throw error;
        });
        return storage.place;
      },
    });
  } finally {
    await rm(temporary, { recursive: true, force: true });
    await storage.close();
  }
}

async function removeAll(storage: Storage): Promise<void> {
  await inParallel(await storage.list(), async (name) => await storage.remove(name));
}
