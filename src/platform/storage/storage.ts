import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';

/** The content of a file to write. It may be read several times. */
export interface Content {
  readonly bytes: number;
  /** In hexadecimal. */
  readonly sha256: string;
  readonly open: () => Buffer | Readable;
}

export interface Range {
  readonly from: number;
  readonly bytes: number;
}

/** A folder or a bucket for files. Names are relative and contain no `..`. */
export interface Storage {
  /** The folder or bucket as named in messages, without credentials. */
  readonly place: string;
  /** The names that begin with this text, sorted. */
  list(prefix?: string): Promise<string[]>;
  /** Undefined if there is no such file. A range must begin within the file. */
  read(name: string, range?: Range): Promise<Buffer | undefined>;
  /** Replaces a file of this name. */
  write(name: string, content: Content): Promise<void>;
  /** Returns false, and changes nothing, if there is a file of this name. */
  create(name: string, content: Content): Promise<boolean>;
  /** Also if there is no such file. */
  remove(name: string): Promise<void>;
  /** With everything below it. */
  removeFolder(name: string): Promise<void>;
  /** Gives up what is being read or written. */
  close(): Promise<void>;
}

export function contentOf(content: string | Buffer): Content {
  const buffer = Buffer.from(content);
  const sha256 = createHash('sha256').update(buffer).digest('hex');
  return { bytes: buffer.length, sha256, open: () => buffer };
}

/** A file of this size and hash. */
export function contentOfFile(file: string, known: Pick<Content, 'bytes' | 'sha256'>): Content {
  return { ...known, open: () => createReadStream(file) };
}
