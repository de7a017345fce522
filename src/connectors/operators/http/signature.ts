import { constants, createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { createMac } from '../../../platform/base/mac.ts';
import type { Mac } from '../../../platform/base/mac.ts';

export const ALGORITHMS = [
  'hmac-sha256',
  'hmac-sha512',
  'rsa-sha256',
  'rsa-sha512',
  'rsa-pss-sha256',
] as const;
export type Algorithm = (typeof ALGORITHMS)[number];

/** Paddings of RSA encryption. */
export const PADDINGS = ['pkcs1', 'oaep-sha1', 'oaep-sha256'] as const;
export type Padding = (typeof PADDINGS)[number];

/** Encodes a signature, or the key of an HMAC, as text. */
export type Encoding = 'hex' | 'base64';
export type KeyEncoding = 'text' | Encoding;

export interface Scheme {
  readonly algorithm: Algorithm;
  readonly encoding: Encoding;
  /** Applies to the key of an HMAC. */
  readonly keyEncoding: KeyEncoding;
}

export function isHmac(algorithm: Algorithm): boolean {
  return algorithm.startsWith('hmac-');
}

/**
 * Signs the UTF-8 bytes of a text.
 * @param key an HMAC's key, or a private key in PEM.
 * Throws: `Error` without the key, if it cannot be used.
 */
export function createSigner(scheme: Scheme, key: string): (text: string) => string {
  const { algorithm, encoding } = scheme;
  if (isHmac(algorithm)) {
    const mac = macOf(scheme, key);
    return (text) => mac.sign(text).toString(encoding);
  }
  const by = padded(scheme, privateKey(key));
  return (text) => sign(hashOf(scheme), Buffer.from(text), by).toString(encoding);
}

/** @param key an HMAC's key, or a public key or certificate in PEM. Throws as `createSigner` does. */
export function createVerifier(
  scheme: Scheme,
  key: string,
): (signed: string | Buffer, signature: string) => boolean {
  const { algorithm, encoding } = scheme;
  if (isHmac(algorithm)) {
    const mac = macOf(scheme, key);
    return (signed, signature) => mac.verify(signed, decode(signature, encoding) ?? null);
  }
  const by = padded(scheme, rsaPublicKey(key));
  return (signed, signature) => {
    const given = decode(signature, encoding);
    const bytes = typeof signed === 'string' ? Buffer.from(signed) : signed;
    return given !== undefined && verify(hashOf(scheme), bytes, by, given);
  };
}

function hashOf({ algorithm }: Scheme): 'sha256' | 'sha512' {
  return algorithm.endsWith('sha512') ? 'sha512' : 'sha256';
}

function padded({ algorithm }: Scheme, key: KeyObject) {
  return algorithm === 'rsa-pss-sha256'
    ? {
        key,
        padding: constants.RSA_PKCS1_PSS_PADDING,
        saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
      }
    : { key, padding: constants.RSA_PKCS1_PADDING };
}

function macOf(scheme: Scheme, key: string): Mac {
  const { keyEncoding } = scheme;
  const bytes = keyEncoding === 'text' ? Buffer.from(key) : decode(key, keyEncoding);
  if (bytes === undefined || bytes.length === 0) throw new Error(`is not ${keyEncoding}`);
  return createMac(bytes, hashOf(scheme));
}

function privateKey(pem: string): KeyObject {
  return rsaKey(() => createPrivateKey(pem), 'an RSA private key in PEM');
}

/** Node also takes the public key out of a certificate. Throws: `Error` without the key. */
export function rsaPublicKey(pem: string): KeyObject {
  if (pem.includes('PRIVATE KEY')) throw new Error('is a private key; give the public one');
  return rsaKey(() => createPublicKey(pem), 'an RSA public key or certificate in PEM');
}

function rsaKey(read: () => KeyObject, what: string): KeyObject {
  let key: KeyObject | undefined;
  try {
    key = read();
  } catch {
    // The library's message may repeat a part of the key.
  }
  if (key?.asymmetricKeyType !== 'rsa') throw new Error(`is not ${what}`);
  if ((key.asymmetricKeyDetails?.modulusLength ?? 0) < 2048) {
    throw new Error('is an RSA key of fewer than 2048 bits');
  }
  return key;
}

/** Undefined: the text is not in the encoding, or not in its canonical form. */
function decode(text: string, encoding: Encoding): Buffer | undefined {
  const bytes = Buffer.from(text, encoding);
  const again = bytes.toString(encoding);
  return again === (encoding === 'hex' ? text.toLowerCase() : text) ? bytes : undefined;
}
