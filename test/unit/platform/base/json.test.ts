import { describe, expect, test } from 'vitest';
import {
  JsonProblem,
  readContradictoryJson,
  readJson,
} from '../../../../src/platform/base/json.ts';

const nested = (depth: number, open = '[', close = ']'): string =>
  `${open.repeat(depth)}${close.repeat(depth)}`;

describe('JSON of others', () => {
  test.each([
    '{}',
    '[]',
    '"text"',
    'null',
    '{"a":{"a":1},"b":[{"a":1},{"a":2}]}',
    // What looks like a name is inside a text.
    String.raw`{"a":"\",\"a\":1","b":"a:"}`,
    String.raw`{"a":"\\","b":"\\\\"}`,
    '["a","a"]',
    ' { "a" : "x" , "A" : "x" } ',
  ])('%s is read as JSON.parse reads it', (text) => {
    expect(readJson(text)).toEqual(JSON.parse(text));
  });

  test.each([
    ['{"a":1,"a":1}', 'a'],
    [String.raw`{"a":1,"\u0061":2}`, 'a'],
    ['{"a":1,"b":[{"c":1,"c":2}]}', 'c'],
    ['{"a":{"x":1},"b":2,\n"a"\t:3}', 'a'],
    ['{"__proto__":1,"__proto__":2}', '__proto__'],
    ['{"":1,"":2}', ''],
  ])('%s is refused, naming what occurs twice', (text, repeated) => {
    expect(() => readJson(text)).toThrow(expect.objectContaining({ repeated }));
    expect(readContradictoryJson(text)).toEqual(JSON.parse(text));
  });

  test.each([
    '',
    '{',
    '{"a"',
    '"',
    String.raw`"\"`,
    '{"a":1}}',
    '{"a":1,}',
    "{'a':1}",
    '{"\\x":1}',
  ])('%s is refused as malformed', (text) => {
    expect(() => readJson(text)).toThrow(JsonProblem);
    expect(() => readContradictoryJson(text)).toThrow(JsonProblem);
  });

  test('JSON may be nested as deeply as any real text, and no deeper', () => {
    expect(readJson(nested(32))).toBeInstanceOf(Array);
    for (const text of [
      nested(33),
      nested(1_000_000),
      nested(33, '{"a":', '}'),
      nested(1e6, '[', ''),
    ]) {
      expect(() => readJson(text)).toThrow('inside each other');
      expect(() => readContradictoryJson(text)).toThrow('inside each other');
    }
  });

  test('keeps all digits of a number as text', () => {
    const text = '{"token":12345678901234567890,"amount":10.00}';
    expect(readJson(text, 'text')).toEqual({ token: '12345678901234567890', amount: '10.00' });
  });
});
