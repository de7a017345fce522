import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { normaliseDocument, normalisePhone } from '../../../../src/credit/registry/documents.ts';
import { createVault, creditKeysOf } from '../../../../src/credit/registry/vault.ts';

const master = { current: randomBytes(32), previous: undefined };
const index = { current: randomBytes(32), previous: undefined };

describe('the vault', () => {
  test('opens what it sealed, only where it was sealed and unaltered', () => {
    const vault = createVault({ master, index });
    const sealed = vault.seal('Amani Baraka', 'subjects|1');
    expect(vault.unseal(sealed, 'subjects|1')).toBe('Amani Baraka');
    expect(sealed.includes('Amani')).toBe(false);
    expect(() => vault.unseal(sealed, 'subjects|2')).toThrow();
    const altered = Buffer.from(sealed);
    altered[altered.length - 1] = (altered.at(-1) ?? 0) ^ 1;
    expect(() => vault.unseal(altered, 'subjects|1')).toThrow();
  });

  test('opens and finds what an earlier release wrote', () => {
    const keys = (byte: number) => ({ current: Buffer.alloc(32, byte), previous: undefined });
    const vault = createVault({ master: keys(1), index: keys(2) });
    const sealed = 'C0suixv80NP+xawTG8LvGwTspZfk08czgPdu57inbkNmSy31ABvEbEiCTDo=';
    expect(vault.unseal(Buffer.from(sealed, 'base64'), 'subjects|1')).toBe('Amani Baraka');
    expect(vault.index('document', 'nationalID|12345678').toString('hex')).toBe(
      'a09843a569c38f4f1ed1e894fedecc2fcea40dc6',
    );
  });

  // AES-GCM knows tags of 4 to 16 bytes; the shorter, the easier to forge.
  test.each([4, 8, 12, 15])('does not open with a tag of only %d bytes', (tagBytes) => {
    const vault = createVault({ master, index });
    const sealed = vault.seal('', 'subjects|1');
    expect(vault.unseal(sealed, 'subjects|1')).toBe('');
    expect(() => vault.unseal(sealed.subarray(0, 16 + tagBytes), 'subjects|1')).toThrow(
      /authentication tag length/,
    );
  });

  test('never uses a nonce twice', () => {
    const vault = createVault({ master, index });
    const nonces = Array.from({ length: 2_000 }, () =>
      vault.seal('x', 'p').subarray(4, 16).toString('hex'),
    );
    expect(new Set(nonces).size).toBe(2_000);
  });

  test('an index is the key’s id and an HMAC-SHA-256, and distinguishes kinds', () => {
    const vault = createVault({ master, index });
    const key = Buffer.from(hkdfSync('sha256', index.current, '', 'malipo credit index', 32));
    const mac = createHmac('sha256', key).update('document|nationalID|12345678').digest();
    const made = vault.index('document', 'nationalID|12345678');
    expect(made).toHaveLength(20);
    expect(made.subarray(4)).toEqual(mac.subarray(0, 16));
    expect(vault.index('account', 'nationalID|12345678')).not.toEqual(made);
  });

  test('indexes texts of every length, one after the other, and gives them as keys of maps', () => {
    const former = randomBytes(32);
    const vault = createVault({ master, index: { ...index, previous: former } });
    const macOf = (source: Buffer, text: string): Buffer => {
      const key = Buffer.from(hkdfSync('sha256', source, '', 'malipo credit index', 32));
      return createHmac('sha256', key).update(`identity|${text}`).digest().subarray(0, 16);
    };
    for (const text of [
      '',
      'é'.repeat(2_000),
      'short',
      'Ng’ang’a',
      '\u{1F600}'.repeat(4_096),
      'x',
    ]) {
      const both = vault.indexes('identity', text);
      expect(both.map((one) => one.subarray(4))).toEqual([
        macOf(index.current, text),
        macOf(former, text),
      ]);
      expect(vault.indexKeys('identity', text)).toEqual(both.map((one) => one.toString('latin1')));
    }
  });

  test('after a rotation opens and finds data under the former keys, and reports that they are former', () => {
    const before = createVault({ master, index });
    const after = createVault({
      master: { current: randomBytes(32), previous: master.current },
      index: { current: randomBytes(32), previous: index.current },
    });
    const sealed = before.seal('text', 'p');
    expect(after.unseal(sealed, 'p')).toBe('text');
    expect(after.isFormer(sealed, 'sealed')).toBe(true);
    expect(after.isFormer(after.seal('text', 'p'), 'sealed')).toBe(false);
    const former = before.index('account', 'bank|254712345678');
    expect(after.indexes('account', 'bank|254712345678')[1]).toEqual(former);
    expect(after.index('account', 'bank|254712345678')).not.toEqual(former);
    const stranger = createVault({
      master: { current: randomBytes(32), previous: undefined },
      index,
    });
    expect(() => stranger.unseal(sealed, 'p')).toThrow('neither MASTER_KEY');
  });

  test('needs an index key of its own, unless it may be derived', () => {
    const none = { creditIndexKey: undefined, creditIndexKeyPrevious: undefined };
    expect(creditKeysOf(none, master, false)).toBeUndefined();
    const derived = creditKeysOf(none, master, true);
    expect(derived?.index.current).toHaveLength(32);
    expect(derived?.index.current).not.toEqual(master.current);
  });
});

test('a document has one spelling for its type', () => {
  expect(normaliseDocument('nationalID', ' 0012-345 678')).toBe('12345678');
  expect(normaliseDocument('nationalID', '1234567890')).toBeUndefined();
  expect(normaliseDocument('nationalID', 'A1234567')).toBeUndefined();
  expect(normaliseDocument('passportNo', 'a 012-3456')).toBe('A0123456');
  expect(normaliseDocument('passportNo', '0123456')).toBe('0123456');
  expect(normaliseDocument('taxID', 'a123456789z')).toBe('A123456789Z');
  expect(normaliseDocument('taxID', '123456789')).toBeUndefined();
  expect(normaliseDocument('alienID', '000123')).toBe('123');
});

test('a phone number has one spelling', () => {
  for (const text of ['0712 345 678', '+254 712-345678', '254712345678', '712345678']) {
    expect(normalisePhone(text)).toBe('254712345678');
  }
  expect(normalisePhone('+256 772 123456')).toBe('256772123456');
  expect(normalisePhone('12345')).toBeUndefined();
  expect(normalisePhone('07123456ab')).toBeUndefined();
});
