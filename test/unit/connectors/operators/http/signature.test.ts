import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  ALGORITHMS,
  createSigner,
  createVerifier,
  isHmac,
} from '../../../../../src/connectors/operators/http/signature.ts';
import type { Scheme } from '../../../../../src/connectors/operators/http/signature.ts';

const pem = (modulusLength: number) =>
  generateKeyPairSync('rsa', {
    modulusLength,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
const RSA = pem(2048);
const OTHER = pem(2048);
const HMAC: Scheme = { algorithm: 'hmac-sha256', encoding: 'hex', keyEncoding: 'text' };

// Test case 2 of RFC 4231.
test.each<[Scheme['algorithm'], string]>([
  ['hmac-sha256', '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843'],
  [
    'hmac-sha512',
    '164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737',
  ],
])('%s as in RFC 4231', (algorithm, signature) => {
  const text = 'what do ya want for nothing?';
  const scheme = { ...HMAC, algorithm };
  expect(createSigner(scheme, 'Jefe')(text)).toBe(signature);
  expect(createVerifier(scheme, 'Jefe')(text, signature.toUpperCase())).toBe(true);
  expect(createSigner({ ...scheme, keyEncoding: 'hex' }, '4a656665')(text)).toBe(signature);
  expect(createSigner({ ...scheme, keyEncoding: 'base64' }, 'SmVmZQ==')(text)).toBe(signature);
});

describe.each(ALGORITHMS)('%s', (algorithm) => {
  const scheme: Scheme = { ...HMAC, algorithm, encoding: 'base64' };
  const [ours, theirs, others] = isHmac(algorithm)
    ? ['key', 'key', 'other']
    : [RSA.privateKey, RSA.publicKey, OTHER.publicKey];
  test('verifies what it signed, and nothing else', () => {
    const signature = createSigner(scheme, ours)('text ü');
    const verify = createVerifier(scheme, theirs);
    expect(verify('text ü', signature)).toBe(true);
    expect(verify('text u', signature)).toBe(false);
    expect(createVerifier(scheme, others)('text ü', signature)).toBe(false);
    for (const altered of ['', 'A', `${signature} `, `${signature}AAAA`, signature.slice(4)]) {
      expect(verify('text ü', altered), altered).toBe(false);
    }
  });
});

test('one padding is not accepted for the other', () => {
  const [pkcs, pss] = (['rsa-sha256', 'rsa-pss-sha256'] as const).map((algorithm) => ({
    ...HMAC,
    algorithm,
  }));
  if (pkcs === undefined || pss === undefined) throw new Error('no schemes');
  const signature = createSigner(pkcs, RSA.privateKey)('text');
  expect(createVerifier(pss, RSA.publicKey)('text', signature)).toBe(false);
});

test.each<[string, () => unknown, RegExp]>([
  ['an empty key', () => createSigner(HMAC, ''), /is not text/],
  [
    'a key that is not hexadecimal',
    () => createSigner({ ...HMAC, keyEncoding: 'hex' }, 'xyz'),
    /is not hex/,
  ],
  [
    'no private key',
    () => createSigner({ ...HMAC, algorithm: 'rsa-sha256' }, RSA.publicKey),
    /RSA private key/,
  ],
  [
    'no public key',
    () => createVerifier({ ...HMAC, algorithm: 'rsa-sha256' }, 'x'),
    /RSA public key/,
  ],
  [
    'a private key as the public one',
    () => createVerifier({ ...HMAC, algorithm: 'rsa-sha256' }, RSA.privateKey),
    /is a private key/,
  ],
  [
    'a short key',
    () => createVerifier({ ...HMAC, algorithm: 'rsa-sha256' }, pem(1024).publicKey),
    /2048/,
  ],
])('%s is refused, and not repeated', (_what, make, message) => {
  expect(make).toThrow(message);
  expect(make).not.toThrow(/BEGIN/);
});
