import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { PlainError } from '../platform/base/plain-error.ts';

/** The file with the master key that a sandbox created itself. */
export function masterKeyFile(dataDir: string): string {
  return path.join(dataDir, 'master-key');
}

/** The sandbox's own master key; undefined if none exists yet. Throws: `PlainError`. */
export async function readMasterKeyFile(dataDir: string): Promise<Buffer | undefined> {
  const file = masterKeyFile(dataDir);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new PlainError(`${file} could not be read: ${(error as Error).message}`, {
      cause: error,
    });
  }
  const key = Buffer.from(text.trim(), 'base64');
  if (key.length !== 32) {
    throw new PlainError(
      `${file} does not contain a key of 32 bytes in base64. Put the file back from a copy, or set MASTER_KEY to the key; without it nothing that is encrypted can be read. If the data of this sandbox may be lost, remove ${dataDir}.`,
    );
  }
  return key;
}

/** The master keys of the environment, otherwise the sandbox's own. Throws: `PlainError`. */
export async function knownMasterKeys(
  config: {
    readonly masterKey: Buffer | undefined;
    readonly masterKeyPrevious: Buffer | undefined;
  },
  dataDir: string,
): Promise<Buffer[]> {
  const current = config.masterKey ?? (await readMasterKeyFile(dataDir));
  return [current, config.masterKeyPrevious].filter((key) => key !== undefined);
}
