import { describe, expect, it } from 'vitest';

import { LIMITS } from '../../../../../src/platform/base/limits.ts';
import { readJson } from '../../../../../src/platform/http/wire/json.ts';
import { parametersOf } from '../../../../support/parameters.ts';

const NAMES = parametersOf(['vid', 'amount', 'account', 'phone']);
const read = (text: string) => Object.fromEntries(readJson(text, NAMES));
const refusalOf = (text: string) => {
  try {
    readJson(text, NAMES);
  } catch (error) {
    return error;
  }
  throw new Error('was not refused');
};

describe('readJson', () => {
  it('keeps numbers exactly as they were written', () => {
    expect(read('{"amount":10}')).toEqual({ amount: '10' });
    expect(read('{"amount":10.00}')).toEqual({ amount: '10.00' });
    expect(read('{"amount":-0.50e+2}')).toEqual({ amount: '-0.50e+2' });
    expect(read('{"amount":1E2}')).toEqual({ amount: '1E2' });
    expect(read('{"account":12345678901234567890123}')).toEqual({
      account: '12345678901234567890123',
    });
  });

  it('reads text, escapes, null, white space and the empty object', () => {
    expect(read(' {\n"vid" :\t"demo" , "phone":null,"account":""}\r\n')).toEqual({
      vid: 'demo',
      phone: null,
      account: '',
    });
    expect(read(String.raw`{"\u0076id":"a\"\\\/é\u00e9\ud83d\ude00","amount":"b"}`)).toEqual({
      vid: 'a"\\/éé😀',
      amount: 'b',
    });
    expect(read('{}')).toEqual({});
  });

  it.each([
    ['true', 'nested_value'],
    ['false', 'nested_value'],
    ['{"a":1}', 'nested_value'],
    ['[1]', 'nested_value'],
    ['truth', 'malformed_request'],
    ['nil', 'malformed_request'],
    ['01', 'malformed_request'],
    ['1.', 'malformed_request'],
    ['.5', 'malformed_request'],
    ['+1', 'malformed_request'],
    ['-', 'malformed_request'],
    ['1e', 'malformed_request'],
    ['0x10', 'malformed_request'],
    ['NaN', 'malformed_request'],
    ["'x'", 'malformed_request'],
    ['"x', 'malformed_request'],
    [String.raw`"\x41"`, 'malformed_request'],
    [String.raw`"\u00g0"`, 'malformed_request'],
    [String.raw`"\ud800"`, 'malformed_request'],
    [String.raw`"\n"`, 'malformed_request'],
    ['"\n"', 'malformed_request'],
    ['', 'malformed_request'],
  ])('refuses the value %s as %s', (value, code) => {
    expect(refusalOf(`{"vid":"demo","account":${value}}`)).toMatchObject({
      code,
      field: 'account',
    });
  });

  it.each([
    '',
    ' ',
    '[]',
    '"vid"',
    'null',
    '{',
    '{"vid":"demo"',
    '{"vid":"demo",}',
    '{,}',
    '{"vid"}',
    '{vid:"demo"}',
    '{"vid":"demo"} x',
    '{"vid":"demo"}{}',
    '{"vid":"demo" "amount":1}',
    '\ufeff{"vid":"demo"}',
    '\u00a0{"vid":"demo"}',
    '{"vid":"demo"}\u0000',
    '{"vid":"demo",/**/"amount":1}',
    '{"vi\\',
    '{"vid":"\\',
  ])('refuses %j', (text) => {
    expect(refusalOf(text)).toMatchObject({ code: 'malformed_request' });
  });

  it('refuses a name that comes twice, spelled differently too', () => {
    const twice = { code: 'ambiguous_request', field: 'vid' };
    expect(refusalOf('{"vid":"a","vid":"a"}')).toMatchObject(twice);
    expect(refusalOf('{"vid":"a","\\u0076id":null}')).toMatchObject(twice);
  });

  it.each(['__proto__', 'constructor', 'prototype', 'toString', 'Vid', 'vid ', 'callback_url'])(
    'refuses the unknown name %s',
    (name) => {
      expect(refusalOf(`{"${name}":{"polluted":true}}`)).toMatchObject({
        code: 'unknown_field',
        field: name,
      });
      expect(Object.prototype).not.toHaveProperty('polluted');
    },
  );

  it('names an unknown parameter in the text, unless it may be a value', () => {
    const text = (name: string) => (refusalOf(`{"${name}":1}`) as Error).message;
    expect(text('callback_url')).toBe('This operation has no parameter callback_url');
    for (const name of ['0722000000', 'Amani Baraka', '37200009901', 'a1b2c3']) {
      expect(text(name)).toBe('This operation has no such parameter');
    }
  });

  it('shows only the printable part of an unknown name', () => {
    expect(refusalOf(`{"${'x'.repeat(200)}":1}`)).toMatchObject({ field: 'x'.repeat(64) });
    expect(refusalOf(String.raw`{"a\u0000\n\u202eb":1}`)).toMatchObject({ field: 'ab' });
    expect(refusalOf(`{"${'x'.repeat(63)}😀":1}`)).toMatchObject({ field: 'x'.repeat(63) });
    expect(refusalOf('{"":1}')).toMatchObject({ code: 'unknown_field', field: undefined });
  });

  it('refuses a value that is too long, a number too', () => {
    const longest = '1'.repeat(LIMITS.valueLength);
    expect(read(`{"account":${longest},"phone":"${longest}"}`)).toEqual({
      account: longest,
      phone: longest,
    });
    const tooLong = { code: 'payload_too_large', field: 'account' };
    expect(refusalOf(`{"account":${longest}1}`)).toMatchObject(tooLong);
    expect(refusalOf(`{"account":"${longest}1"}`)).toMatchObject(tooLong);
  });

  it('survives deep nesting', () => {
    expect(refusalOf(`{"vid":${'['.repeat(16_000)}`)).toMatchObject({ code: 'nested_value' });
  });
});
