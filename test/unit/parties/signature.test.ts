import { createSecretKey, hash, timingSafeEqual } from 'node:crypto';
import type * as Crypto from 'node:crypto';
import type { KeyObject } from 'node:crypto';

import { beforeEach, describe, expect, it, vi } from 'vitest';

import { canonicalText } from '../../../src/platform/base/canonical.ts';
import type { Fields } from '../../../src/platform/base/canonical.ts';
import { sign, verify } from '../../../src/parties/signature.ts';

// Counted, because equal work shows equal cost, and a clock does not.
vi.mock('node:crypto', async (importOriginal) => {
  const original = await importOriginal<typeof Crypto>();
  return {
    ...original,
    hash: vi.fn(original.hash),
    timingSafeEqual: vi.fn(original.timingSafeEqual),
  };
});

const secret = (text: string): KeyObject => createSecretKey(Buffer.from(text));
const oldKey = secret('old-key');
const newKey = secret('new-key');

function signed(params: Record<string, string>, key: KeyObject): Map<string, string | null> {
  const fields = new Map<string, string | null>(Object.entries(params));
  return fields.set('hash', sign(canonicalText(fields), key));
}

const withKeys = (...keys: KeyObject[]) => ({ keys });

const status = { vid: 'demo', reference: 'ABC' };

describe('verify', () => {
  it('takes upper-case and lower-case digits', () => {
    const fields = signed(status, newKey);
    fields.set('hash', String(fields.get('hash')).toUpperCase());
    const signer = withKeys(newKey);
    expect(verify({ fields }, () => signer)).toEqual({ fields, signer, key: newKey });
  });

  it('reports which of two keys matched', () => {
    const both = withKeys(newKey, oldKey);
    expect(verify({ fields: signed(status, oldKey) }, () => both)?.key).toBe(oldKey);
    expect(verify({ fields: signed(status, newKey) }, () => both)?.key).toBe(newKey);
  });

  it.each(['vid', 'reference'])('fails when %s was altered', (name) => {
    const fields = signed(status, newKey).set(name, 'other');
    expect(verify({ fields }, () => withKeys(newKey))).toBeUndefined();
  });

  it.each([
    ['absent', undefined],
    ['null', null],
    ['empty', ''],
    ['one digit short', (digits: string) => digits.slice(1)],
    ['one digit long', (digits: string) => `${digits}0`],
    ['followed by a line end', (digits: string) => `${digits}\n`],
    ['with a letter that is no digit', (digits: string) => `g${digits.slice(1)}`],
    ['another', (digits: string) => (digits.startsWith('0') ? '1' : '0') + digits.slice(1)],
  ] as const)('fails for a hash that is %s', (_, change) => {
    const fields = signed(status, newKey);
    if (change === undefined) fields.delete('hash');
    else if (change === null || change === '') fields.set('hash', change);
    else fields.set('hash', change(String(fields.get('hash'))));
    expect(verify({ fields }, () => withKeys(newKey))).toBeUndefined();
  });

  it('tries the raw reading after the decoded one and returns the one that was signed', () => {
    const raw = signed({ vid: 'demo', account: 'a+b' }, newKey);
    const fields = new Map(raw).set('account', 'a b');
    expect(verify({ fields, raw: () => raw }, () => withKeys(newKey))?.fields).toBe(raw);
    expect(verify({ fields: raw, raw: () => fields }, () => withKeys(newKey))?.fields).toBe(raw);
    expect(verify({ fields, raw: () => undefined }, () => withKeys(newKey))).toBeUndefined();
  });

  it('checks each reading under the keys of the vendor which that reading names', () => {
    const signers = new Map([
      ['demo', withKeys(newKey)],
      ['de%6do', withKeys(oldKey)],
    ]);
    const signerOf = (fields: Fields) => signers.get(fields.get('vid') ?? '');
    // Signed with demo's key, but naming the other vendor: it must not become the other's request.
    const raw = signed({ vid: 'de%6do', reference: 'ABC' }, newKey);
    const fields = new Map(raw).set('vid', 'demo');
    expect(verify({ fields, raw: () => raw }, signerOf)).toBeUndefined();
  });
});

/** The work of one failed check. */
function workOf(keys: readonly KeyObject[]) {
  const fields = signed(status, secret('wrong'));
  vi.mocked(hash).mockClear();
  vi.mocked(timingSafeEqual).mockClear();
  expect(verify({ fields }, () => withKeys(...keys))).toBeUndefined();
  return {
    hashes: vi.mocked(hash).mock.calls.length,
    comparisons: vi.mocked(timingSafeEqual).mock.calls.length,
  };
}

describe('the work of a failed check', () => {
  beforeEach(() => {
    vi.mocked(hash).mockClear();
    vi.mocked(timingSafeEqual).mockClear();
  });

  it('a failed check does the same work for an unknown vendor, one key and two keys', () => {
    const work = { hashes: 4, comparisons: 2 };
    expect(workOf([])).toEqual(work);
    expect(workOf([newKey])).toEqual(work);
    expect(workOf([newKey, oldKey])).toEqual(work);
  });

  it('does not stop at the first key that matches', () => {
    const fields = signed(status, newKey);
    vi.mocked(timingSafeEqual).mockClear();
    expect(verify({ fields }, () => withKeys(newKey, oldKey))?.key).toBe(newKey);
    expect(timingSafeEqual).toHaveBeenCalledTimes(2);
  });
});
