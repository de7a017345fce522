// Node 18 has Web Crypto only as a module. The name is computed so that bundlers for the edge, where
// the module is never loaded, do not look for it.
const NODE_CRYPTO = 'node:crypto';
const webCrypto: Crypto =
  (globalThis as { crypto?: Crypto }).crypto ??
  (
    (await import(/* webpackIgnore: true */ /* @vite-ignore */ NODE_CRYPTO)) as {
      webcrypto: Crypto;
    }
  ).webcrypto;

const utf8 = new TextEncoder();
const HMAC = { name: 'HMAC', hash: 'SHA-256' } as const;

export type Bytes = Uint8Array<ArrayBuffer>;

export function bytesOf(text: string): Bytes {
  return utf8.encode(text);
}

export async function hmacKey(secret: Bytes): Promise<CryptoKey> {
  return await webCrypto.subtle.importKey('raw', secret, HMAC, false, ['sign', 'verify']);
}

export async function hmac(key: CryptoKey, message: Bytes): Promise<Bytes> {
  return new Uint8Array(await webCrypto.subtle.sign('HMAC', key, message));
}

/** In constant time. */
export async function isHmac(key: CryptoKey, mac: Bytes, message: Bytes): Promise<boolean> {
  return await webCrypto.subtle.verify('HMAC', key, mac, message);
}

export async function sha256(message: Bytes): Promise<string> {
  return hexOf(new Uint8Array(await webCrypto.subtle.digest('SHA-256', message)));
}

export function randomHex(length: number): string {
  return hexOf(webCrypto.getRandomValues(new Uint8Array(length / 2)));
}

export function hexOf(bytes: Bytes): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export function base64Of(bytes: Bytes): string {
  return btoa(String.fromCharCode(...bytes));
}

/** Undefined if it is not base64. */
export function fromBase64(text: string): Bytes | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
