import { randomBytes } from 'node:crypto';
import { link, mkdir, open, rm } from 'node:fs/promises';
import type { Config } from '../src/config.ts';
import type { MasterKeys } from '../src/platform/base/sealing.ts';
import { hasKeys } from '../src/parties/read-keys.ts';
import { PlainError } from '../src/platform/base/plain-error.ts';
import type { Queryable } from '../src/platform/db/pool.ts';
import { orNotReady } from '../src/platform/db/version.ts';
import { masterKeyFile, readMasterKeyFile } from '../src/parties/master-key-file.ts';

/**
 * MASTER_KEY, or the sandbox's own: made at the first start and kept in the data folder.
 * Throws: `PlainError` if the database has keys already, which a new master key could not decrypt.
 */
export async function sandboxMasterKeys(config: Config, db: Queryable): Promise<MasterKeys> {
  if (config.masterKey !== undefined) {
    return { current: config.masterKey, previous: config.masterKeyPrevious };
  }
  const known = await readMasterKeyFile(config.dataDir);
  if (known !== undefined) return { current: known, previous: undefined };
  if (await orNotReady(hasKeys(db), false)) {
    throw new PlainError(
      `MASTER_KEY is not set, and ${masterKeyFile(config.dataDir)} does not exist, but the database has keys that are encrypted. Set MASTER_KEY to the value of its first start, or DATA_DIR to the folder of its first start. Nothing was changed.`,
    );
  }
  await mkdir(config.dataDir, { recursive: true });
  const key = randomBytes(32);
  const file = masterKeyFile(config.dataDir);
  const unfinished = `${file}.${process.pid}`;
  const handle = await open(unfinished, 'w', 0o600);
  await handle.writeFile(`${key.toString('base64')}\n`);
  await handle.sync();
  await handle.close();
  // Unlike a rename, a link leaves alone what a sandbox started at the same moment has put there.
  await link(unfinished, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rm(unfinished);
  const kept = await readMasterKeyFile(config.dataDir);
  return { current: kept ?? key, previous: undefined };
}
