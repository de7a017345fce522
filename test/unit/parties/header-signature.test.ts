import { createHmac, createSecretKey } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../../src/platform/base/limits.ts';
import {
  headerSignatureText,
  isFresh,
  readHeaderSignature,
  verifyHeaderSignature,
} from '../../../src/parties/header-signature.ts';

const signature = {
  signedAtSeconds: 1_795_236_000,
  nonce: '0123456789abcdef',
  sig: 'a'.repeat(64),
};
const request = { method: 'POST', target: '/a?b=c', body: Buffer.from('vid=demo') };
const key = createSecretKey('demo-security-key', 'utf8');

describe('a header signature', () => {
  test('a header signature is read only in its one form', () => {
    const { nonce, sig } = signature;
    expect(readHeaderSignature(`v2,t=1795236000,nonce=${nonce},sig=${sig}`)).toEqual(signature);
    for (const wrong of [
      `v1,t=1795236000,nonce=${nonce},sig=${sig}`,
      ` v2,t=1795236000,nonce=${nonce},sig=${sig}`,
      `v2,t=1795236000,nonce=${nonce},sig=${sig} `,
      `v2,t=,nonce=${nonce},sig=${sig}`,
      `v2,t=1234567890123,nonce=${nonce},sig=${sig}`,
      `v2,t=1795236000,nonce=${nonce.slice(1)},sig=${sig}`,
      `v2,t=1795236000,nonce=${nonce},sig=${sig.slice(1)}`,
      `v2,nonce=${nonce},t=1795236000,sig=${sig}`,
    ]) {
      expect(readHeaderSignature(wrong), wrong).toBeUndefined();
    }
  });

  test('covers six lines', () => {
    expect(headerSignatureText(request, signature)).toBe(
      'v2\nPOST\n/a?b=c\n970756d6c46357b6011e8b0308887952c10690e6e426fd9d01299ff631eef093\n1795236000\n0123456789abcdef',
    );
    const none = headerSignatureText({ ...request, body: undefined }, signature);
    expect(none).toContain('\ne3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\n');
  });

  test('reports the key that made it', () => {
    const sig = createHmac('sha256', key)
      .update(headerSignatureText(request, signature))
      .digest('hex');
    const signed = { ...signature, sig };
    const other = createSecretKey('another', 'utf8');
    expect(verifyHeaderSignature(signed, request, [other, key])).toBe(key);
    expect(verifyHeaderSignature(signed, request, [key])).toBe(key);
    expect(verifyHeaderSignature(signed, request, [other])).toBeUndefined();
    expect(verifyHeaderSignature(signed, request, [])).toBeUndefined();
  });

  test('a header signature is fresh within the window on both sides, its ends included', () => {
    const at = (seconds: number) => new Date((signature.signedAtSeconds + seconds) * 1000);
    const window = LIMITS.signatureWindowSeconds;
    for (const age of [0, window, -window]) expect(isFresh(signature, at(age))).toBe(true);
    for (const age of [window + 0.001, -window - 0.001]) {
      expect(isFresh(signature, at(age))).toBe(false);
    }
  });
});
