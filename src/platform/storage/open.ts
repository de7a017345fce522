import path from 'node:path';
import { PlainError } from '../base/plain-error.ts';
import { folderStorage } from './folder.ts';
import type { S3Settings } from './s3.ts';
import type { Storage } from './storage.ts';

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
export async function openStorage(address: string, s3: S3Settings): Promise<Storage> {
  if (!isBucketAddress(address)) return folderStorage(path.resolve(address));
  const found = readBucketAddress(address);
  if (found === undefined) {
    throw new PlainError(
      `${address} is not an address of a bucket. Allowed: s3://bucket/prefix, with letters, digits and . _ = - in the prefix.`,
    );
  }
  // It needs an HTTP client, which takes a third of the time in which a command starts.
  const { s3Storage } = await import('./s3.ts');
  return s3Storage({ ...s3, ...found });
}
