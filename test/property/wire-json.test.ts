import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { Fields } from '../../src/platform/base/canonical.ts';
import { Refusal } from '../../src/platform/base/errors.ts';
import { LIMITS } from '../../src/platform/base/limits.ts';
import { readFields } from '../../src/platform/http/wire/request.ts';
import { parametersOf } from '../support/parameters.ts';

const NAMES = new Set(['a', 'b', 'vid', 'amount', 'hash']);
const PARAMETERS = parametersOf(NAMES);
const FORBIDDEN = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufffd]/u;

type Outcome = { readonly fields: Fields } | { readonly code: string };

/** Our reader: the fields, or the code of the refusal. Any other error fails the test. */
async function ours(body: Buffer): Promise<Outcome> {
  try {
    const request = { contentType: 'application/json', body, query: '' };
    return { fields: (await readFields(request, PARAMETERS)).fields };
  } catch (error) {
    if (error instanceof Refusal) return { code: error.code };
    throw error;
  }
}

type Reviver = (
  this: unknown,
  key: string,
  value: unknown,
  context: { source?: string },
) => unknown;

const reviver: Reviver = (key, value, { source }) =>
  key !== '' && typeof value === 'number' ? source : value;

/** The platform’s parser: values by name, numbers as written, or undefined when it refuses. */
function platforms(body: Buffer): Map<string, unknown> | undefined {
  try {
    // Fatal and without dropping a byte order mark, as RFC 8259 §8.1 has it.
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
    const parsed: unknown = JSON.parse(text, reviver as (key: string, value: unknown) => unknown);
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return undefined;
    return new Map(Object.entries(parsed));
  } catch {
    return undefined;
  }
}

const isPlain = (value: unknown): value is string | null =>
  value === null ||
  (typeof value === 'string' &&
    !FORBIDDEN.test(value) &&
    value.isWellFormed() &&
    value.length <= LIMITS.valueLength &&
    !/&(?:a|b|vid|amount|hash)=/.test(value));

/** Our reader accepts exactly the flat objects of known names and plain values, and reads the same values. */
async function agree(body: Buffer): Promise<void> {
  // No body at all is a request without parameters, whatever its content type.
  if (body.length === 0) return;
  const outcome = await ours(body);
  const expected = platforms(body);
  if ('fields' in outcome) {
    expect(outcome.fields).toEqual(expected);
    return;
  }
  if (expected === undefined) return;
  const fine = [...expected].every(([name, value]) => NAMES.has(name) && isPlain(value));
  if (fine && !comesTwice(body)) expect(outcome).toEqual({ fields: expect.anything() });
}

/** Whether a name occurs twice, which JSON.parse does not report. */
function comesTwice(body: Buffer): boolean {
  const names = [...body.toString().matchAll(/"((?:[^"\\]|\\.)*)"\s*:/g)].map(
    ([, name]) => JSON.parse(`"${name}"`) as string,
  );
  return new Set(names).size < names.length;
}

const escapedCharacter = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  fc.constantFrom('"', '\\', '/', '&', '&a=', '&amount=', 'é', '😀', '\u2028', '\ufeff', '\u0000'),
  fc.constantFrom(
    ...String.raw`\n \t \\ \" \/ \b \u0041 \u00e9 \ud83d\ude00 \ud800 \u0000 \x \u12`.split(' '),
  ),
);

/** A string literal: mostly valid, sometimes not. */
const stringLiteral = fc
  .array(escapedCharacter, { maxLength: 8 })
  .map(
    (parts) =>
      `"${parts.map((part) => (part.startsWith('\\') && part.length > 1 ? part : JSON.stringify(part).slice(1, -1))).join('')}"`,
  );

const numberLiteral = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => String(value)),
  fc.constantFrom(
    '10',
    '10.00',
    '0',
    '-0',
    '-0.0',
    '1e2',
    '1E+2',
    '1.5e-7',
    '100000000000000000000',
  ),
  fc.constantFrom('01', '1.', '.5', '+1', '-', '1e', '0x1', 'NaN', 'Infinity', '1_000'),
);

const valueLiteral = fc.oneof(
  { weight: 6, arbitrary: stringLiteral },
  { weight: 4, arbitrary: numberLiteral },
  {
    weight: 1,
    arbitrary: fc.constantFrom('null', 'true', 'false', '{}', '[]', '{"a":1}', 'nul', ''),
  },
);

const nameLiteral = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom(...NAMES).map((name) => JSON.stringify(name)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('"\\u0061"', '"\\u0076id"', '"x"', '"__proto__"', '""', 'a'),
  },
);

const space = fc.constantFrom('', '', '', ' ', '\n', '\t\r\n ', '\u00a0', '\ufeff');

const flatObject = fc
  .tuple(space, fc.array(fc.tuple(space, nameLiteral, space, valueLiteral), { maxLength: 5 }))
  .map(([edge, members]) => {
    const texts = members.map(
      ([before, name, after, value]) => `${before}${name}${after}:${value}`,
    );
    return Buffer.from(`${edge}{${texts.join(',')}}${edge}`);
  });

/** Inserted, removed or overwritten bytes. */
const mutation = fc.record({
  at: fc.nat(),
  remove: fc.nat({ max: 3 }),
  insert: fc.oneof(
    fc.uint8Array({ maxLength: 3 }),
    fc
      .constantFrom('"', '\\', '{', '}', ':', ',', '\\u', 'null', '1', '\ufeff')
      .map((text) => Buffer.from(text)),
  ),
});

function mutate(
  body: Buffer,
  mutations: readonly { at: number; remove: number; insert: Uint8Array }[],
) {
  let bytes = body;
  for (const { at, remove, insert } of mutations) {
    const location = at % (bytes.length + 1);
    bytes = Buffer.concat([bytes.subarray(0, location), insert, bytes.subarray(location + remove)]);
  }
  return bytes;
}

describe('readJson and JSON.parse', () => {
  it('agree on flat objects of known names', async () => {
    const dictionary = fc.dictionary(
      fc.constantFrom(...NAMES),
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.constant(null),
      ),
    );
    let read = 0;
    await fc.assert(
      fc.asyncProperty(dictionary, fc.constantFrom(undefined, 1, '\t'), async (object, indent) => {
        const body = Buffer.from(JSON.stringify(object, null, indent));
        await agree(body);
        if ('fields' in (await ours(body))) read += 1;
      }),
      { numRuns: 1500 },
    );
    expect(read).toBeGreaterThan(200);
  });

  it('agree on literals of every kind, valid or not', async () => {
    await fc.assert(fc.asyncProperty(flatObject, agree), { numRuns: 4000 });
  });

  it('agree on valid bodies with a few bytes changed', async () => {
    const mutations = fc.array(mutation, { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(
        flatObject,
        mutations,
        async (body, changes) => await agree(mutate(body, changes)),
      ),
      { numRuns: 4000 },
    );
  });

  it('agree on any bytes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 40 }),
        async (bytes) => await agree(Buffer.from(bytes)),
      ),
      { numRuns: 1000 },
    );
  });
});
