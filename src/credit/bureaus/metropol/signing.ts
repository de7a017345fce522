import { createHash } from 'node:crypto';

export interface MetropolKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}

/**
 * Headers of a call: the public key, the time as YYYYMMDDHHMMSSffffff (UTC, microseconds), and the
 * SHA-256 of private key, body, public key and time, in hexadecimal (Metropol API v2_1).
 * @param body the exact text that is sent.
 */
export function signedHeaders(
  body: string,
  keys: MetropolKeys,
  now: Date,
): Readonly<Record<string, string>> {
  const timestamp = `${now.toISOString().replaceAll(/\D/g, '').slice(0, 17)}000`;
  const hash = createHash('sha256')
    .update(`${keys.privateKey}${body}${keys.publicKey}${timestamp}`, 'utf8')
    .digest('hex');
  return {
    'content-type': 'application/json',
    'x-metropol-rest-api-key': keys.publicKey,
    'x-metropol-rest-api-hash': hash,
    'x-metropol-rest-api-timestamp': timestamp,
  };
}
