import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  BAD_CHARACTERS,
  BAD_HASHES,
  BAD_VALUES,
  LONG,
  badValuesOf,
} from '../support/bad-values.ts';
import { useMisusedSandbox } from '../support/misused-sandbox.ts';
import {
  OPERATIONS,
  OPTIONAL_PARAMETERS,
  REFUSAL_KINDS,
  usualParams,
  withHash,
} from '../support/operation-samples.ts';
import { expectCallersFault, expectRefusal } from '../support/refusals.ts';
import { BODY_FORMS, PATHS, UNSIGNED, encode } from '../support/vendor-client.ts';
import type { BodyForm, OperationName, Params, WireRequest } from '../support/vendor-client.ts';

const sandbox = useMisusedSandbox();

const usual = (operation: OperationName): Readonly<Record<string, string>> =>
  usualParams(operation, sandbox.vendor.vid);
const hashed = (operation: OperationName, params: Params): Params =>
  withHash(operation, params, sandbox.vendor.key);

/** The parameter that the answer must name: an unknown signer gets the same answer as a wrong hash. */
function fieldAtFault(operation: OperationName, name: string): string {
  const signer = operation === 'collect' ? 'collector' : 'vid';
  return name === signer && !UNSIGNED.has(operation) ? 'hash' : name;
}

describe.each(OPERATIONS)('%s', (operation) => {
  test.each(BODY_FORMS)('one invalid value, correctly signed, as %s', async (form) => {
    const requests: { name: string; value: string; request: WireRequest }[] = [];
    for (const name of Object.keys(usual(operation))) {
      for (const value of badValuesOf(operation, name)) {
        const params = hashed(operation, { ...usual(operation), [name]: value });
        requests.push({ name, value, request: encode(PATHS[operation], params, form) });
      }
    }
    const answers = await Promise.all(requests.map(async ({ request }) => sandbox.send(request)));
    for (const [index, { name, value }] of requests.entries()) {
      // The unsigned operations answer all callers alike.
      if (UNSIGNED.has(operation) && name === 'vid' && /^[\w.-]{1,64}$/.test(value)) continue;
      const shown = `${operation} ${form} ${name}=${JSON.stringify(value.slice(0, 40))}`;
      const answer = answers[index];
      if (answer === undefined) throw new Error('no answer');
      const fault = expectCallersFault(answer, shown);
      // The built-in multipart parser would hide such a mark, so it is looked for in the whole body.
      if (form === 'multipart' && value.includes('\ufeff')) continue;
      if (BAD_CHARACTERS.includes(value)) {
        // A status can be looked up by any text: an impossible reference is an unknown one.
        const code =
          operation === 'status' && name === 'reference'
            ? 'unknown_reference'
            : 'malformed_request';
        expect([shown, fault]).toEqual([shown, { code, field: name }]);
      } else if (value === LONG) {
        expect([shown, fault]).toEqual([shown, { code: 'payload_too_large', field: name }]);
      } else {
        expect([shown, fault.field]).toEqual([shown, fieldAtFault(operation, name)]);
      }
    }
  });

  test('refuses a parameter that is missing, empty or null', async () => {
    for (const name of Object.keys(usual(operation))) {
      if (OPTIONAL_PARAMETERS.has(name)) continue;
      for (const value of [undefined, '', null]) {
        const { [name]: _, ...others } = usual(operation);
        const params = hashed(
          operation,
          value === undefined ? others : { ...others, [name]: value },
        );
        const answer = await sandbox.send(encode(PATHS[operation], params, 'json'));
        expectRefusal(answer, {
          status: 400,
          code: 'missing_field',
          field: name,
          kind: REFUSAL_KINDS.get(operation),
        });
      }
    }
  });
});

test.each(OPERATIONS.filter((operation) => !UNSIGNED.has(operation)))(
  'refuses %s with a bad hash',
  async (operation) => {
    for (const hash of BAD_HASHES) {
      for (const form of BODY_FORMS) {
        const request = encode(PATHS[operation], { ...usual(operation), hash }, form);
        const { field } = expectCallersFault(await sandbox.send(request), `${form} hash=${hash}`);
        expect(field).toBe('hash');
      }
    }
  },
);

const NAMES = [
  ...new Set(
    OPERATIONS.flatMap((name) => Object.keys(BAD_VALUES).concat(name, 'hash', '__proto__')),
  ),
];

describe('anything', () => {
  const value = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.string({ unit: 'grapheme', maxLength: 40 }),
    fc.constantFrom(...Object.values(BAD_VALUES).flat(), ...BAD_CHARACTERS),
    fc.constantFrom('60.00', 'gotv', 'KES', '722', '254722000000', '2012345678', '1767592800'),
    fc.bigInt().map(String),
    fc.double().map(String),
  );
  const someRequest = fc.record({
    operation: fc.constantFrom(...OPERATIONS),
    method: fc.constantFrom('GET', 'POST', 'POST', 'POST'),
    form: fc.constantFrom<BodyForm>(...BODY_FORMS),
    asContentType: fc.option(
      fc.constantFrom(
        'application/json',
        'multipart/form-data; boundary=b',
        'text/plain',
        'a/b; c',
      ),
    ),
    params: fc.dictionary(fc.constantFrom(...NAMES), fc.option(value, { freq: 9 }), { maxKeys: 6 }),
    keepUsual: fc.boolean(),
    isSigned: fc.boolean(),
    cut: fc.option(fc.nat(200)),
    flip: fc.option(fc.record({ at: fc.nat(200), to: fc.nat(255) })),
  });

  function build(
    wanted: typeof someRequest extends fc.Arbitrary<infer Made> ? Made : never,
  ): WireRequest {
    const { operation, form, params, cut, flip } = wanted;
    const merged = { ...(wanted.keepUsual ? usual(operation) : {}), ...params };
    const all = wanted.isSigned ? hashed(operation, merged) : merged;
    const request = encode(PATHS[operation], all, form);
    if (request.body === undefined) return { ...request, method: wanted.method };
    const bytes = Buffer.from(request.body);
    if (flip !== null && flip.at < bytes.length) bytes[flip.at] = flip.to;
    return {
      method: wanted.method,
      path: request.path,
      headers:
        wanted.asContentType === null
          ? (request.headers ?? {})
          : { 'content-type': wanted.asContentType },
      body: cut === null ? bytes : bytes.subarray(0, cut),
    };
  }

  test('any request is answered, or refused as the caller’s fault', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(someRequest, { minLength: 8, maxLength: 8 }), async (wanted) => {
        const requests = wanted.map(build);
        const answers = await Promise.all(
          requests.map(async (request) => await sandbox.send(request)),
        );
        for (const [index, answer] of answers.entries()) {
          if (answer.status === 200) expect(answer.body).not.toHaveProperty('error');
          else expectCallersFault(answer, JSON.stringify(wanted[index]));
        }
      }),
      { numRuns: 400 },
    );
  }, 240_000);
});

test('afterwards the service pays as before, and none of the failures was its own fault', async () =>
  await sandbox.expectUnharmed());
