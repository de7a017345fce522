import { rename } from 'node:fs/promises';
import { systemCode } from './error.ts';

/**
 * Renames a folder to a name that is free or is an empty folder; false if that folder has files.
 * rename(2) itself decides, so that exactly one of several processes gets true.
 */
export async function renameUnlessThere(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOTEMPTY' || systemCode(error) === 'EEXIST') return false;
    throw error;
  }
}
