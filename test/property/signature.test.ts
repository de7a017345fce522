import { createSecretKey } from 'node:crypto';

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { canonicalText } from '../../src/platform/base/canonical.ts';
import type { Fields } from '../../src/platform/base/canonical.ts';
import { Refusal } from '../../src/platform/base/errors.ts';
import { readForm } from '../../src/platform/http/wire/form.ts';
import { readJson } from '../../src/platform/http/wire/json.ts';
import { sign, verify } from '../../src/parties/signature.ts';
import { KnownNames } from '../../src/platform/http/wire/parameters.ts';
import type { Parameters } from '../../src/platform/http/wire/parameters.ts';
import { parametersOf } from '../support/parameters.ts';

const known = new KnownNames();
const OPERATIONS: readonly Parameters[] = [
  ['vid', 'currency', 'time'],
  ['vid', 'biller_name', 'amount', 'account', 'phone', 'merchant_reference'],
  ['vid', 'reference'],
  ['vid', 'account', 'account_type', 'phone'],
  ['vid'],
  ['vid', 'name1', 'name2', 'nationalID', 'physicalAddress', 'reportReason'],
].map((names) => known.signed(names));

const key = createSecretKey(Buffer.from('demo-security-key'));

/** Values made of the texts that could hide where one parameter ends. */
function provokingValue(names: readonly string[]) {
  const piece = fc.oneof(
    fc.constantFrom('&', '=', '&&', '=&', ' ', '+', '%', '%26', '%3D', '5000', 'é', 'Moi & Sons'),
    fc.constantFrom(...names),
    fc.constantFrom(...names).map((name) => `&${name}=`),
    fc.constantFrom(...names).map((name) => `${name}=`),
    fc.constantFrom(...names).map((name) => `&${name.slice(0, 2)}`),
  );
  return fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join(''));
}

/** An operation's names, and some of its parameters (without `hash`) with provoking values. */
const request = fc.constantFrom(...OPERATIONS).chain((operation) => {
  const { names } = operation;
  const own = [...names].filter((name) => name !== 'hash');
  const value = fc.option(provokingValue([...names]), { freq: 20 });
  return fc.record({
    operation: fc.constant(operation),
    params: fc
      .subarray(own, { minLength: 1 })
      .chain((chosen) => fc.tuple(...chosen.map((name) => fc.tuple(fc.constant(name), value)))),
  });
});

/** How the wire reads parameters sent as JSON; undefined if it refuses them. */
function accepted(params: Fields, operation: Parameters): Fields | undefined {
  try {
    return readJson(JSON.stringify(Object.fromEntries(params)), operation);
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/** Every list of parameters whose signed text is `text`, whether or not the wire accepts it. */
function allMeaningsOf(text: string, names: ReadonlySet<string>): Fields[] {
  const alternatives = [...names].filter((name) => name !== 'hash').join('|');
  const boundaries = [...text.matchAll(new RegExp(`&(?=(?:${alternatives})=)`, 'g'))]
    .map(({ index }) => index)
    .slice(0, 10);
  const meanings: Fields[] = [];
  for (let chosen = 0; chosen < 2 ** boundaries.length; chosen += 1) {
    const fields = new Map<string, string>();
    let start = 0;
    const ends = [...boundaries.filter((_, index) => (chosen >> index) % 2 === 1), text.length];
    for (const end of ends) {
      const pair = text.slice(start, end);
      const equals = pair.indexOf('=');
      fields.set(pair.slice(0, equals), pair.slice(equals + 1));
      start = end + 1;
    }
    // Fails for names that come twice or are out of order.
    if (fields.size === ends.length && canonicalText(fields) === text) meanings.push(fields);
  }
  return meanings;
}

describe('a signature stands for one request only', () => {
  it('holds for every text and every way to read it, but only because of the guard', () => {
    let forgeable = 0;
    fc.assert(
      fc.property(request, ({ operation, params }) => {
        const meanings = allMeaningsOf(canonicalText(new Map(params)), operation.names);
        if (meanings.length > 1) forgeable += 1;
        expect(
          meanings.filter((fields) => accepted(fields, operation) !== undefined).length,
        ).toBeLessThanOrEqual(1);
      }),
      { numRuns: 2000 },
    );
    // Without the guard each of these texts would have several meanings, all of them accepted.
    expect(forgeable).toBeGreaterThan(100);
  });

  it('two accepted requests with one text are the same request', () => {
    const seen = new Map<string, Fields>();
    let acceptedCount = 0;
    fc.assert(
      fc.property(request, ({ operation, params }) => {
        const fields = accepted(new Map(params), operation);
        if (fields === undefined) return;
        acceptedCount += 1;
        const meaning = new Map([...fields].filter(([, value]) => value !== null));
        const text = canonicalText(fields);
        // Whatever operations accepted them.
        expect(seen.get(text) ?? meaning).toEqual(meaning);
        seen.set(text, meaning);
      }),
      { numRuns: 3000 },
    );
    expect(acceptedCount).toBeGreaterThan(300);
  });

  it('refuses both requests of the known forgery', () => {
    const create = OPERATIONS[1] ?? parametersOf([]);
    const honest: Fields = new Map([
      ['account', '0712345678&amount=5000&biller_name=safaricom&merchant_reference='],
      ['amount', '50'],
      ['biller_name', 'airtel'],
      ['vid', 'demo'],
    ]);
    const forged: Fields = new Map([
      ['account', '0712345678'],
      ['amount', '5000'],
      ['biller_name', 'safaricom'],
      ['merchant_reference', '&amount=50&biller_name=airtel'],
      ['vid', 'demo'],
    ]);
    // The weakness that the guard removes: one text and one signature for two payments.
    expect(canonicalText(honest)).toBe(canonicalText(forged));
    for (const fields of [honest, forged]) {
      expect(() => readJson(JSON.stringify(Object.fromEntries(fields)), create)).toThrow(
        expect.objectContaining({ code: 'ambiguous_value' }),
      );
    }
    // As an un-encoded form the text has one reading: the one split at every known name, where
    // `amount` comes twice.
    expect(() => readForm(canonicalText(honest), create)).toThrow(
      expect.objectContaining({ code: 'ambiguous_request' }),
    );
  });
});

describe('un-encoded form bodies', () => {
  it('verify with +, %, & and = in their values', () => {
    fc.assert(
      fc.property(request, ({ operation, params }) => {
        const sent = new Map(params.filter((pair): pair is [string, string] => pair[1] !== null));
        if (sent.size === 0 || accepted(sent, operation) === undefined) return;
        // An un-encoded `&…=` starts a parameter, known or not.
        if ([...sent.values()].some((value) => /&[^&]*=/.test(value))) return;
        const hash = sign(canonicalText(sent), key);
        const body = `${[...sent].map(([name, value]) => `${name}=${value}`).join('&')}&hash=${hash}`;
        const verified = verify(readForm(body, operation), () => ({ keys: [key] }));
        expect(verified?.fields).toEqual(new Map([...sent, ['hash', hash]]));
      }),
      { numRuns: 2000 },
    );
  });

  it('un-encoded and encoded form bodies verify as the same request', () => {
    fc.assert(
      fc.property(request, ({ operation, params }) => {
        const sent = new Map(params.filter((pair): pair is [string, string] => pair[1] !== null));
        if (accepted(sent, operation) === undefined) return;
        const signed = new Map([...sent, ['hash', sign(canonicalText(sent), key)]]);
        const body = new URLSearchParams([...signed]).toString();
        expect(verify(readForm(body, operation), () => ({ keys: [key] }))?.fields).toEqual(signed);
      }),
      { numRuns: 1000 },
    );
  });

  it('un-encoded form bodies never verify after a change of a single character', () => {
    fc.assert(
      fc.property(
        request,
        fc.nat(),
        fc.constantFrom('&', '=', '+', '%', '0', 'a'),
        ({ operation, params }, location, character) => {
          const sent = new Map(params.filter((pair): pair is [string, string] => pair[1] !== null));
          if (sent.size === 0 || accepted(sent, operation) === undefined) return;
          const text = canonicalText(sent);
          const at = location % text.length;
          const changed = text.slice(0, at) + character + text.slice(at + 1);
          let verified: Fields | undefined;
          try {
            const body = `${changed}&hash=${sign(text, key)}`;
            verified = verify(readForm(body, operation), () => ({ keys: [key] }))?.fields;
          } catch (error) {
            expect(error).toBeInstanceOf(Refusal);
          }
          // For example, a `+` for a space may still be read as the signed text, but never as another one.
          if (verified !== undefined) expect(canonicalText(verified)).toBe(text);
        },
      ),
      { numRuns: 1000 },
    );
  });
});
