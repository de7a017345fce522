import * as fc from 'fast-check';
import { BAD_CHARACTERS, BAD_VALUES } from '../support/bad-values.ts';
import { OPERATIONS, usualParams } from '../support/operation-samples.ts';
import { BODY_FORMS, PATHS, UNSIGNED, encode, signed } from '../support/vendor-client.ts';
import type { BodyForm, Params, WireRequest } from '../support/vendor-client.ts';
import { VID, keyOf, signWhole } from './seeds.ts';

const NAMES = [
  ...Object.keys(BAD_VALUES),
  'hash',
  'name3',
  'taxID',
  '__proto__',
  'constructor',
  '',
];

/** Texts that could start a parameter of this or another operation. */
const splitting = fc
  .tuple(fc.constantFrom(...NAMES), fc.constantFrom('1', '5.00', '&', '%', '+', ' & Sons'))
  .map(([name, text]) => `x&${name}=${text}`);

const value = fc.oneof(
  splitting,
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.constantFrom(...Object.values(BAD_VALUES).flat(), ...BAD_CHARACTERS),
  fc.constantFrom('5.00', 'safaricom', 'KES', '722', '254722000000', '900000001', 'Amani'),
  fc.bigInt().map(String),
  fc.double().map(String),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
);

const json: fc.Arbitrary<string> = fc
  .jsonValue({ maxDepth: 6 })
  .map((made) => JSON.stringify(made));

/** Requests of every operation with wrong parameters, in every form, with a correct signature or not. */
export const structuredRequest: fc.Arbitrary<WireRequest> = fc
  .record({
    operation: fc.constantFrom(...OPERATIONS),
    form: fc.constantFrom<BodyForm>(...BODY_FORMS),
    method: fc.constantFrom('POST', 'POST', 'POST', 'GET', 'PUT'),
    params: fc.dictionary(fc.constantFrom(...NAMES), fc.option(value, { freq: 9 }), { maxKeys: 4 }),
    keepUsual: fc.boolean(),
    signature: fc.constantFrom('hash', 'hash', 'header', 'none'),
    otherBody: fc.option(json, { freq: 8 }),
    contentType: fc.option(
      fc.constantFrom(
        'application/json',
        'text/plain',
        'multipart/form-data; boundary=b',
        'a/b; c',
      ),
      { freq: 6 },
    ),
  })
  .map((wanted) => {
    const { operation, form, params } = wanted;
    const merged = {
      ...(wanted.keepUsual ? usualParams(operation, VID) : { vid: VID }),
      ...params,
    };
    const isHashed = wanted.signature === 'hash' && !UNSIGNED.has(operation);
    const all = isHashed ? signedIfPossible(merged, keyOf(operation)) : merged;
    const made = encode(PATHS[operation], all, form);
    const { contentType, otherBody } = wanted;
    const headers = contentType === null ? made.headers : { 'content-type': contentType };
    const body = otherBody ?? made.body;
    const request = {
      method: wanted.method,
      path: made.path,
      ...(headers === undefined ? {} : { headers }),
      ...(body === undefined ? {} : { body }),
    };
    return wanted.signature === 'header' ? signWhole(request) : request;
  });

function signedIfPossible(params: Params, key: string): Params {
  const { hash: _given, ...others } = params;
  return signed(others, key);
}
