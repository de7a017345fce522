import { open } from 'node:fs/promises';

/** Flushes the entries of a folder, so that a power failure does not lose new files. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
