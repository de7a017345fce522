import { createHash, createSecretKey } from 'node:crypto';
import { hmac } from '../base/mac.ts';

const SUFFIX = '_runtime';
const MAX_NAME_BYTES = 63;

/**
 * The URL of the runtime role that a sandbox creates for itself when it knows only one role of a
 * database. Name and password are the same at every start.
 * @param secret the sandbox's master key.
 */
export function sandboxRuntimeUrl(ownerUrl: string, database: string, secret: Buffer): string {
  const url = new URL(ownerUrl);
  const name =
    Buffer.byteLength(database) + SUFFIX.length <= MAX_NAME_BYTES
      ? database
      : createHash('sha256').update(database).digest('hex').slice(0, 40);
  url.username = `${name}${SUFFIX}`;
  url.password = hmac(createSecretKey(secret), `runtime role ${database}`, 'base64url');
  return url.href;
}
