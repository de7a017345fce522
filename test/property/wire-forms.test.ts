import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { Reading } from '../../src/platform/base/canonical.ts';
import { Refusal } from '../../src/platform/base/errors.ts';
import { readFields } from '../../src/platform/http/wire/request.ts';
import type { WireRequest } from '../../src/platform/http/wire/request.ts';
import { parametersOf } from '../support/parameters.ts';

const NAMES = new Set(['vid', 'amount', 'account', 'account_type', 'physicalAddress', 'hash']);
const PARAMETERS = parametersOf(NAMES);
const EDGE = 'edge-7d81c2a94b3e';

/** Texts that every form can carry: no forbidden characters, no `&<known name>=`. */
const plainText = fc
  .string({ unit: 'grapheme', maxLength: 20 })
  .map((text) =>
    text.replaceAll(/[\p{Cc}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufffd]/gu, ''),
  )
  .filter((text) => !/&(?:vid|amount|account|account_type|physicalAddress|hash)=/.test(text));
const spicedText = fc.oneof(
  plainText,
  fc.constantFrom(
    '',
    ' ',
    '+',
    '%',
    '%41',
    '&',
    'a & b',
    '=',
    'Moi & Sons',
    '100%',
    '-- x',
    '"',
    '\\',
    '😀',
  ),
);
const params = fc
  .subarray([...NAMES], { minLength: 1 })
  .chain((names) => fc.tuple(...names.map((name) => fc.tuple(fc.constant(name), spicedText))));

function multipart(pairs: readonly (readonly [string, string])[]): string {
  const parts = pairs.map(
    ([name, value]) =>
      `--${EDGE}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return `${parts.join('')}--${EDGE}--\r\n`;
}

function post(contentType: string, body: string | Uint8Array): WireRequest {
  return { contentType, body: Buffer.from(body as string), query: '' };
}

const TYPES = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  multipart: `multipart/form-data; boundary=${EDGE}`,
};

/** The reading; undefined if the request is refused. Any other error fails the test. */
async function readOrRefuse(request: WireRequest): Promise<Reading | undefined> {
  try {
    const reading = await readFields(request, PARAMETERS);
    reading.raw?.();
    return reading;
  } catch (error) {
    expect(error).toBeInstanceOf(Refusal);
    return undefined;
  }
}

describe('the bytes of a body', () => {
  const header = (name: string) => `Content-Disposition: form-data; name="${name}"\r\n\r\n`;
  const edge = fc.constantFrom('A', 'B', 'AB', 'A--', '--A', 'A-', 'Content');
  const body = fc
    .array(
      fc.oneof(
        edge.map((boundary) => `--${boundary}`),
        fc.constantFrom('\r\n', '--', '\r\n--', `\r\n${header('vid')}`, header('amount')),
        fc.constantFrom('x', '{', 'vid=x', '&amount=', '{"vid":"x"}'),
      ),
      { maxLength: 14 },
    )
    .map((pieces) => pieces.join(''));
  // Nearly valid requests, with a whole body inside a value.
  const nested = fc
    .tuple(edge, edge, fc.constantFrom('', 'x', '\r\n'), fc.constantFrom('', 'x', '\r\n'))
    .map(([outer, inner, before, after]) => {
      const within = `\r\n--${inner}\r\n${header('vid')}evil\r\n--${inner}--\r\n`;
      return `${before}--${outer}\r\n${header('vid')}x${within}\r\n--${outer}--\r\n${after}`;
    });
  const parts = fc
    .tuple(edge, fc.constantFrom('', '\r\n'))
    .map(([own, end]) => `--${own}\r\n${header('vid')}x\r\n--${own}--${end}`);

  it('every body is read under one content type at most, as a signature over it does not cover the type', async () => {
    const types = [
      TYPES.json,
      TYPES.form,
      ...['A', 'B', 'AB', 'A--', '--A', 'A-', 'Content'].map(
        (boundary) => `multipart/form-data; boundary="${boundary}"`,
      ),
    ];
    let read = 0;
    const check = async (text: string) => {
      const readings = await Promise.all(types.map((type) => readOrRefuse(post(type, text))));
      const accepted = types.filter((_, index) => {
        const reading = readings[index];
        return text !== '' && reading !== undefined && reading.refusal === undefined;
      });
      expect(accepted.length, accepted.join(' and ')).toBeLessThanOrEqual(1);
      read += accepted.length;
    };
    await fc.assert(fc.asyncProperty(fc.oneof(body, nested, parts), check), { numRuns: 500 });
    expect(read).toBeGreaterThan(0);
  });
});

describe('every form of the same parameters', () => {
  it('every form of the same parameters is read as the same fields', async () => {
    await fc.assert(
      fc.asyncProperty(params, async (pairs) => {
        const encoded = new URLSearchParams(pairs).toString();
        const requests = [
          { contentType: undefined, body: undefined, query: encoded },
          { contentType: undefined, body: undefined, query: encoded.replaceAll('+', '%20') },
          post(TYPES.form, encoded),
          post(TYPES.json, JSON.stringify(Object.fromEntries(pairs))),
          post(TYPES.multipart, multipart(pairs)),
        ];
        for (const request of requests) {
          const reading = await readFields(request, PARAMETERS);
          expect(reading.refusal).toBeUndefined();
          expect(reading.fields).toEqual(new Map(pairs));
        }
      }),
      { numRuns: 400 },
    );
  });
});

describe('hostile bytes', () => {
  it.each(['json', 'form', 'multipart'] as const)('%s: any bytes', async (form) => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 64 }), async (bytes) => {
        await readOrRefuse(post(TYPES[form], bytes));
      }),
      { numRuns: 500 },
    );
  });

  it('query strings of any characters', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc
        .array(fc.constantFrom(...NAMES, '&', '=', '%', '+', '%4', '%C3', 'é', ' '))
        .map((parts) => parts.join('')),
    );
    await fc.assert(
      fc.asyncProperty(text, async (query) => {
        await readOrRefuse({ contentType: undefined, body: undefined, query });
      }),
      { numRuns: 1500 },
    );
  });

  it.each(['form', 'multipart'] as const)('%s: valid bodies with bytes changed', async (form) => {
    const change = fc.record({
      at: fc.nat(),
      remove: fc.nat({ max: 6 }),
      insert: fc.oneof(
        fc.uint8Array({ maxLength: 3 }),
        fc
          .constantFrom('\r\n', '--', `--${EDGE}`, `--${EDGE}--`, '; filename="x"', '&', '=', '%')
          .map((text) => Buffer.from(text)),
      ),
    });
    await fc.assert(
      fc.asyncProperty(
        params,
        fc.array(change, { minLength: 1, maxLength: 3 }),
        async (pairs, changes) => {
          let bytes = Buffer.from(
            form === 'form' ? new URLSearchParams(pairs).toString() : multipart(pairs),
          );
          for (const { at, remove, insert } of changes) {
            const location = at % (bytes.length + 1);
            bytes = Buffer.concat([
              bytes.subarray(0, location),
              insert,
              bytes.subarray(location + remove),
            ]);
          }
          const reading = await readOrRefuse(post(TYPES[form], bytes));
          for (const name of reading?.fields.keys() ?? []) expect(NAMES).toContain(name);
        },
      ),
      { numRuns: 600 },
    );
  });

  it('content types of any text', async () => {
    const type = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc
        .array(
          fc.constantFrom(
            'application/json',
            'multipart/form-data',
            ';',
            ' ',
            'charset=',
            'utf-8',
            'boundary=',
            '"',
            '\r\n',
            EDGE,
          ),
        )
        .map((parts) => parts.join('')),
    );
    await fc.assert(
      fc.asyncProperty(type, async (contentType) => {
        await readOrRefuse(post(contentType, '{"vid":"demo"}'));
      }),
      { numRuns: 1000 },
    );
  });
});
