import path from 'node:path';
import { contentOfFile } from '../storage/storage.ts';
import type { Storage } from '../storage/storage.ts';
import { hashFile } from './copy.ts';
import { MANIFEST_FILE } from './manifest.ts';
import type { BackupManifest } from './manifest.ts';
import { DATA_FOLDER, inParallel } from './stored.ts';

/** Copies a complete backup from a folder of this machine; the manifest comes last. */
export async function uploadBackup(
  folder: string,
  manifest: BackupManifest,
  storage: Storage,
  onProgress: (doneBytes: number) => void,
): Promise<void> {
  let doneBytes = 0;
  await inParallel(manifest.files, async (file) => {
    const name = `${DATA_FOLDER}/${file.path}`;
    await storage.write(name, contentOfFile(path.join(folder, name), file));
    doneBytes += file.bytes;
    onProgress(doneBytes);
  });
  const text = path.join(folder, MANIFEST_FILE);
  await storage.write(MANIFEST_FILE, contentOfFile(text, await hashFile(text)));
}
