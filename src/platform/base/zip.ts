import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';

/** Inflates in a thread of its own: requests go on meanwhile. */
const inflated = promisify(inflateRaw);

/** What is read from one archive together: a small archive may contain very large files. */
const MAX_READ_BYTES = 128 * 1024 * 1024;
const END = 0x06054b50;
const ENTRY = 0x02014b50;
const END_BYTES = 22;
const MAX_COMMENT_BYTES = 65_535;

/** True if the bytes begin like a zip archive, such as an Excel file. */
export function isZip(bytes: Buffer): boolean {
  return bytes.length >= 4 && bytes.readUInt32LE(0) === 0x04034b50;
}

/**
 * The files of a zip archive by their names, by its central directory. Each is inflated when it is read, as often as it
 * is. Throws: `Error` if the archive is damaged, or more is read from it than may be.
 */
export function readZip(archive: Buffer): ReadonlyMap<string, () => Promise<Buffer>> {
  try {
    return directoryOf(archive);
  } catch (error) {
    throw new Error('the archive is damaged', { cause: error });
  }
}

function directoryOf(archive: Buffer): Map<string, () => Promise<Buffer>> {
  const end = endOf(archive);
  const files = new Map<string, () => Promise<Buffer>>();
  let leftBytes = MAX_READ_BYTES;
  const read = async (entry: number): Promise<Buffer> => {
    const content = await contentOf(archive, entry, leftBytes);
    leftBytes -= content.length;
    return content;
  };
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left -= 1) {
    if (archive.readUInt32LE(at) !== ENTRY) throw new Error('there is no entry');
    const entry = at;
    const nameLength = archive.readUInt16LE(entry + 28);
    const name = archive.toString('utf8', entry + 46, entry + 46 + nameLength);
    files.set(name, async () => await read(entry));
    at += 46 + nameLength + archive.readUInt16LE(entry + 30) + archive.readUInt16LE(entry + 32);
  }
  return files;
}

function endOf(archive: Buffer): number {
  const first = Math.max(0, archive.length - END_BYTES - MAX_COMMENT_BYTES);
  for (let at = archive.length - END_BYTES; at >= first; at -= 1) {
    if (archive.readUInt32LE(at) === END) return at;
  }
  throw new Error('there is no directory');
}

async function contentOf(archive: Buffer, entry: number, maxBytes: number): Promise<Buffer> {
  try {
    const size = archive.readUInt32LE(entry + 20);
    const local = archive.readUInt32LE(entry + 42);
    const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    const content = archive.subarray(start, start + size);
    const isStored = archive.readUInt16LE(entry + 10) === 0;
    if (isStored && content.length <= maxBytes) return content;
    return await inflated(content, { maxOutputLength: Math.max(1, maxBytes) });
  } catch (error) {
    throw new Error('a file in the archive is damaged or too large', { cause: error });
  }
}
