import { rename } from 'node:fs/promises';
import { systemCode } from './error.ts';

/**
 * Renames a folder to a name that is free or an empty folder; false when there are files already.
 * rename(2) itself decides, so of several processes exactly one gets true.
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
