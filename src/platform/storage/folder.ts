import { syncFolder } from '../sync-folder.ts';
import { createHash, randomBytes } from 'node:crypto';
import { link, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Content, Range, Storage } from './storage.ts';

const PART = /\.part-[0-9a-f]{16}$/;
/** Some file systems, such as those over object storage, have no links. */
const NO_LINKS: ReadonlySet<unknown> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/** A folder, which the first write creates. */
export function folderStorage(folder: string): Storage {
  const fileOf = (name: string): string => path.join(folder, name);
  return {
    place: folder,
    list: async (prefix = '') => await listFolder(folder, prefix),
    read: async (name, range) => await readFile(fileOf(name), range),
    write: async (name, content) => {
      await writePart(fileOf(name), content, async (part, file) => await rename(part, file));
    },
    create: async (name, content) => {
      let isNew = true;
      await writePart(fileOf(name), content, async (part, file) => {
        isNew = await renameIfNew(part, file);
      });
      return isNew;
    },
    remove: async (name) => await rm(fileOf(name), { force: true }),
    removeFolder: async (name) => await rm(fileOf(name), { recursive: true, force: true }),
    close: async () => {},
  };
}

async function listFolder(folder: string, prefix: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile() && !PART.test(entry.name))
      .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
      .map((name) => name.split(path.sep).join('/'))
      .filter((name) => name.startsWith(prefix))
      .toSorted();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

async function readFile(file: string, range: Range | undefined): Promise<Buffer | undefined> {
  try {
    const handle = await open(file, 'r');
    try {
      if (range === undefined) return await handle.readFile();
      const buffer = Buffer.allocUnsafe(range.bytes);
      const { bytesRead } = await handle.read(buffer, 0, range.bytes, range.from);
      return buffer.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Writes and flushes a file under another name, and lets `publish` give it its own. */
async function writePart(
  file: string,
  content: Content,
  publish: (part: string, file: string) => Promise<void>,
): Promise<void> {
  const folder = path.dirname(file);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const part = `${file}.part-${randomBytes(8).toString('hex')}`;
  try {
    const handle = await open(part, 'wx', 0o600);
    try {
      const hash = createHash('sha256');
      const opened = content.open();
      for await (const chunk of Buffer.isBuffer(opened) ? [opened] : opened) {
        hash.update(chunk as Buffer);
        await handle.writeFile(chunk as Buffer);
      }
      if (hash.digest('hex') !== content.sha256) throw new Error(`${file} changed meanwhile`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await publish(part, file);
    await syncFolder(folder);
  } finally {
    await rm(part, { force: true });
  }
}

/** Gives a file its name, unless there is one of that name: then returns false. */
export async function renameIfNew(part: string, file: string): Promise<boolean> {
  try {
    await link(part, file);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    if (!NO_LINKS.has(codeOf(error))) throw error;
  }
  const exists = await stat(file).then(
    () => true,
    () => false,
  );
  if (!exists) await rename(part, file);
  return !exists;
}

function codeOf(error: unknown): unknown {
  return (error as NodeJS.ErrnoException | null)?.code;
}
