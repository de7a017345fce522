// Signatures, computed in the browser: the key never leaves it.

const utf8 = new TextEncoder();

/**
 * The text that is signed: every parameter except `hash`, in ASCII order of the names.
 * @param {ReadonlyMap<string, string>} values
 */
export function canonicalText(values) {
  const names = [...values.keys()].filter((name) => name !== 'hash').toSorted();
  return names.map((name) => `${name}=${values.get(name)}`).join('&');
}

/**
 * The text that is signed where the whole request is: method, path with query, body, time and nonce.
 * @param {{ method: string, target: string, bodyDigest: string, time: number, nonce: string }} request
 */
export function requestText({ method, target, bodyDigest, time, nonce }) {
  return ['v2', method, target, bodyDigest, time, nonce].join('\n');
}

/** A text that nobody has used with this key. */
export function newNonce() {
  return [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(36)).join('-');
}

/** Browsers offer cryptography only over https and on this machine. */
export function canSign() {
  return globalThis.crypto?.subtle !== undefined;
}

/**
 * @param {string} key
 * @param {string} text
 */
export async function hmacSha256(key, text) {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const raw = utf8.encode(key);
  const imported = await crypto.subtle.importKey('raw', raw, algorithm, false, ['sign']);
  return hex(await crypto.subtle.sign('HMAC', imported, utf8.encode(text)));
}

/** @param {string} text */
export async function sha256(text) {
  return hex(await crypto.subtle.digest('SHA-256', utf8.encode(text)));
}

/** @param {ArrayBuffer} bytes */
function hex(bytes) {
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
