import { createSecretKey } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import { canonicalText } from '../../../../src/platform/base/canonical.ts';
import type { Fields } from '../../../../src/platform/base/canonical.ts';
import { readForm } from '../../../../src/platform/http/wire/form.ts';
import { readJson } from '../../../../src/platform/http/wire/json.ts';
import { KnownNames } from '../../../../src/platform/http/wire/parameters.ts';
import { sign, verify } from '../../../../src/parties/signature.ts';
import document from '../../../vectors/signature.json' with { type: 'json' };
import { CONTRACT_OPERATIONS } from '../../../support/contract-operations.ts';
import { parametersOf } from '../../../support/parameters.ts';

interface Vector {
  readonly name: string;
  readonly key: string;
  readonly params: readonly (readonly [string, string | null])[];
  readonly json?: string;
  readonly text: string;
  readonly hash: string;
}

// JSON modules type pairs as arrays of any length.
const vectors = document.vectors as unknown as readonly Vector[];

const keyOf = (vector: Vector) => createSecretKey(Buffer.from(vector.key, 'utf8'));

describe('the golden vectors of the signature', () => {
  it.each(vectors)('$name gives the text and the hash', (vector) => {
    const fields: Fields = new Map(vector.params);
    expect(canonicalText(fields)).toBe(vector.text);
    expect(sign(vector.text, keyOf(vector))).toBe(vector.hash);
  });

  it.each(vectors)('$name: the signed request verifies, and with no other key', (vector) => {
    const fields = new Map(vector.params).set('hash', vector.hash);
    const signer = { keys: [keyOf(vector)] };
    expect(verify({ fields }, () => signer)?.fields).toBe(fields);
    expect(
      verify({ fields }, () => ({ keys: [createSecretKey(Buffer.from('other'))] })),
    ).toBeUndefined();
  });

  it.each(vectors.filter((vector) => vector.json !== undefined))(
    '$name: the JSON body gives the text',
    (vector) => {
      const names = parametersOf(vector.params.map(([name]) => name));
      expect(canonicalText(readJson(vector.json ?? '', names))).toBe(vector.text);
    },
  );

  it('has different hashes for texts which only look alike', () => {
    const hashes = new Map(vectors.map(({ name, hash }) => [name, hash]));
    expect(hashes.get('number-10')).not.toBe(hashes.get('number-10.00'));
    expect(hashes.get('utf-8-nfc')).not.toBe(hashes.get('utf-8-nfd'));
    expect(hashes.get('empty-kept')).not.toBe(hashes.get('create'));
    expect(hashes.get('input-order')).toBe(hashes.get('create'));
  });
});

describe('the golden vectors of what is refused', () => {
  const known = new KnownNames();
  const operations = new Map(CONTRACT_OPERATIONS.map(({ id, names }) => [id, known.signed(names)]));

  it.each(document.refused)('$name is refused as $code', ({ operation, json, form, code }) => {
    const parameters = operations.get(operation);
    if (parameters === undefined) throw new Error(`there is no operation ${operation}`);
    const read = () =>
      json === undefined ? readForm(form ?? '', parameters) : readJson(json, parameters);
    expect(read).toThrow(expect.objectContaining({ code }));
  });
});

describe('canonicalText', () => {
  it('the text is empty for no parameters, nulls and the hash', () => {
    expect(canonicalText(new Map())).toBe('');
    expect(
      canonicalText(
        new Map([
          ['hash', 'x'],
          ['phone', null],
        ]),
      ),
    ).toBe('');
  });

  it('keeps a first value that is empty', () => {
    expect(
      canonicalText(
        new Map([
          ['vid', 'demo'],
          ['account', ''],
        ]),
      ),
    ).toBe('account=&vid=demo');
  });
});
