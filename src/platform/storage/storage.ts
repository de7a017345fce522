import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { PlainError } from '../base/plain-error.ts';
import { folderStorage } from './folder.ts';
import { s3Storage } from './s3.ts';
import type { S3Settings } from './s3.ts';

/** What is written. It may be read several times. */
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
  /** For messages, without credentials. */
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

const BUCKET = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/;
const PREFIX = /^[A-Za-z0-9._=-]+(?:\/[A-Za-z0-9._=-]+)*$/;

/** True of an address in a bucket, false of a folder. */
export function isBucketAddress(address: string): boolean {
  return address.startsWith('s3://');
}

/**
 * The bucket and the prefix of `s3://bucket/prefix`; undefined if the address is not valid. The
 * prefix ends with a slash, or is empty.
 */
export function readBucketAddress(
  address: string,
): { readonly bucket: string; readonly prefix: string } | undefined {
  const [, bucket, rest = ''] = BUCKET.exec(address) ?? [];
  const prefix = rest.replace(/\/+$/, '');
  if (bucket === undefined || (prefix !== '' && !PREFIX.test(prefix))) return undefined;
  if (prefix.split('/').some((part) => part === '.' || part === '..')) return undefined;
  return { bucket, prefix: prefix === '' ? '' : `${prefix}/` };
}

/**
 * Opens a folder, or `s3://bucket/prefix`. Nothing is read or written yet.
 * Throws: `PlainError` if the address is not valid, or the environment lacks a credential.
 */
export function openStorage(address: string, s3: S3Settings): Storage {
  if (!isBucketAddress(address)) return folderStorage(path.resolve(address));
  const found = readBucketAddress(address);
  if (found === undefined) {
    throw new PlainError(
      `${address} is not an address of a bucket. Allowed: s3://bucket/prefix, with letters, digits and . _ = - in the prefix.`,
    );
  }
  return s3Storage({ ...s3, ...found });
}
