import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../src/config.ts';
import type { MasterKeys } from '../src/base/sealing.ts';

/** MASTER_KEY, or the sandbox's own: made at the first start and kept in the data folder. */
export async function sandboxMasterKeys(config: Config): Promise<MasterKeys> {
  if (config.masterKey !== undefined) {
    return { current: config.masterKey, previous: config.masterKeyPrevious };
  }
  const file = path.join(config.dataDir, 'master-key');
  const known = await readKey(file);
  if (known !== undefined) return { current: known, previous: undefined };
  await mkdir(config.dataDir, { recursive: true });
  const key = randomBytes(32);
  const unfinished = `${file}.${process.pid}`;
  const handle = await open(unfinished, 'w', 0o600);
  await handle.writeFile(`${key.toString('base64')}\n`);
  await handle.sync();
  await handle.close();
  await rename(unfinished, file);
  return { current: key, previous: undefined };
}

async function readKey(file: string): Promise<Buffer | undefined> {
  try {
    const key = Buffer.from((await readFile(file, 'utf8')).trim(), 'base64');
    if (key.length !== 32) throw new Error(`${file} does not hold a key of 32 bytes in base64`);
    return key;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
