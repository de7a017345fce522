import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { createJsonReader } from '../../../../src/platform/http/json-object.ts';

const read = createJsonReader(
  Type.Object(
    {
      name: Type.String({ pattern: '^[a-z]+$', form: 'lower-case letters' }),
      count: Type.Optional(Type.Integer()),
      tags: Type.Optional(Type.Array(Type.String())),
    },
    { additionalProperties: false },
  ),
);
const of = (text: string, type = 'application/json') => read(type, Buffer.from(text));

test('an object that fits is read as it is', () => {
  expect(of('{"name":"a","count":2,"tags":["b"]}')).toEqual({ name: 'a', count: 2, tags: ['b'] });
  expect(of('{"name":"a"}', 'Application/JSON; charset="UTF-8"')).toEqual({ name: 'a' });
});

test.each([
  ['{}', 'missing_field', 'name'],
  ['', 'missing_field', 'name'],
  ['{"name":"a","other":1}', 'unknown_field', 'other'],
  ['{"other":1}', 'missing_field', 'name'],
  ['{"name":"A"}', 'invalid_field', 'name'],
  ['{"name":1}', 'invalid_field', 'name'],
  ['{"name":"a","count":1.5}', 'invalid_field', 'count'],
  ['{"name":"a","tags":[1]}', 'invalid_field', 'tags'],
  ['{"name":"a","tags":["b\\u0007"]}', 'malformed_request', 'tags'],
  ['{"name":"a","tags":["\\ud800"]}', 'malformed_request', 'tags'],
  ['{"__proto__":{},"name":"a"}', 'unknown_field', '__proto__'],
  ['{"name":"a","name":"b"}', 'ambiguous_request', 'name'],
  [String.raw`{"name":"a","n\u0061me":"a"}`, 'ambiguous_request', 'name'],
  [`{"name":"a","tags":${'['.repeat(5_000)}${']'.repeat(5_000)}}`, 'malformed_request', undefined],
  ['null', 'malformed_request', undefined],
  ['"name"', 'malformed_request', undefined],
  ['{"name":"a"', 'malformed_request', undefined],
])('%s is refused', (text, code, field) => {
  expect(() => of(text)).toThrow(expect.objectContaining({ code, field }));
});

test('a refusal says what the field must be', () => {
  expect(() => of('{"name":"A"}')).toThrow('name must be lower-case letters');
  expect(() => of('{"name":"a","count":1.5}')).toThrow('count must be a whole number');
  expect(() => of('{"name":"a","tags":[1]}')).toThrow('tags is not valid: each entry must be text');
});

test.each(['application/x-www-form-urlencoded', 'application/json; charset=latin1', 'text/json'])(
  'a body of type %s is refused',
  (type) => {
    expect(() => of('{"name":"a"}', type)).toThrow(
      expect.objectContaining({ code: 'unsupported_media_type' }),
    );
  },
);
