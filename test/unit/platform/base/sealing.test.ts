import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { masterKeyId, seal, unseal } from '../../../../src/platform/base/sealing.ts';

const KEYS = { current: randomBytes(32), previous: undefined };
const PLACE = 'security_keys|vendor|acme|1';

describe('a sealed secret', () => {
  test('opens where it was sealed', () => {
    for (const secret of ['', 'demo-security-key', 'ключ 🔑', 'x'.repeat(5_000)]) {
      expect(unseal(seal(secret, PLACE, KEYS), PLACE, KEYS)).toBe(secret);
    }
  });

  test('opens a secret that an earlier release sealed', () => {
    const bytes = Buffer.from(
      'ZSTSfPPtH+abFhYRy6M9ES3dVu+nosvU54MA3x45xiKF9WtKQppinEs97Lpx',
      'base64',
    );
    const keys = { current: Buffer.alloc(32, 1), previous: undefined };
    const sealed = { masterKeyId: '72cd6e8422c407fb', bytes };
    expect(unseal(sealed, 'security_keys|vendor|demo|1', keys)).toBe('demo-security-key');
  });

  test('does not show the secret, and differs each time', () => {
    const sealed = seal('demo-security-key', PLACE, KEYS);
    expect(sealed.bytes.includes('demo')).toBe(false);
    expect(sealed.bytes.equals(seal('demo-security-key', PLACE, KEYS).bytes)).toBe(false);
  });

  test('does not open in another place', () => {
    const sealed = seal('secret', PLACE, KEYS);
    expect(() => unseal(sealed, 'security_keys|vendor|other|1', KEYS)).toThrow();
  });

  test('cannot be decrypted if a single bit was changed', () => {
    const sealed = seal('secret', PLACE, KEYS);
    for (let position = 0; position < sealed.bytes.length; position += 1) {
      const bytes = Buffer.from(sealed.bytes);
      bytes[position] = (bytes[position] ?? 0) ^ 1;
      expect(() => unseal({ ...sealed, bytes }, PLACE, KEYS)).toThrow();
    }
  });

  test.each([
    [0, /initialization vector/],
    [11, /initialization vector|authentication tag/],
    [12, /authentication tag/],
    // The algorithm also allows shorter tags, which are easier to forge.
    [16, /authentication tag length/],
    [27, /authentication tag length/],
  ])('does not open when only %d bytes are left', (length, message) => {
    const sealed = seal('', PLACE, KEYS);
    const bytes = sealed.bytes.subarray(0, length);
    expect(() => unseal({ ...sealed, bytes }, PLACE, KEYS)).toThrow(message);
  });

  test('does not open under another master key, and says which one it needs', () => {
    const sealed = seal('secret', PLACE, KEYS);
    const others = { current: randomBytes(32), previous: randomBytes(32) };
    expect(() => unseal(sealed, PLACE, others)).toThrow(masterKeyId(KEYS.current));
    // The same for a wrong key under the right key id.
    expect(() =>
      unseal({ ...sealed, masterKeyId: masterKeyId(others.current) }, PLACE, others),
    ).toThrow();
  });

  test('opens a secret with the key that it names, not with the first one given', () => {
    const keys = { current: randomBytes(32), previous: KEYS.current };
    const sealed = seal('secret', PLACE, keys);
    const turned = { current: keys.previous, previous: keys.current };
    expect(unseal(sealed, PLACE, turned)).toBe('secret');
    // Both keys are available, but the one that it names did not seal it.
    const misnamed = { ...sealed, masterKeyId: masterKeyId(keys.previous) };
    expect(() => unseal(misnamed, PLACE, keys)).toThrow(/authenticate/);
    // It cannot be decrypted without the key that it names.
    const unknown = { ...sealed, masterKeyId: '0'.repeat(16) };
    expect(() => unseal(unknown, PLACE, keys)).toThrow(/MASTER_KEY_PREVIOUS/);
    const alone = { current: keys.previous, previous: undefined };
    expect(() => unseal(sealed, PLACE, alone)).toThrow(/MASTER_KEY_PREVIOUS/);
  });

  test('opens under the former master key, and is sealed under the current one', () => {
    const sealed = seal('secret', PLACE, KEYS);
    const rotated = { current: randomBytes(32), previous: KEYS.current };
    expect(unseal(sealed, PLACE, rotated)).toBe('secret');
    const again = seal('secret', PLACE, rotated);
    expect(again.masterKeyId).toBe(masterKeyId(rotated.current));
    expect(again.masterKeyId).toMatch(/^[0-9a-f]{16}$/);
    expect(unseal(again, PLACE, { current: rotated.current, previous: undefined })).toBe('secret');
  });
});
