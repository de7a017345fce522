import { expect, test } from 'vitest';
import {
  compileExpression,
  compileTemplate,
  textOf,
} from '../../../../../src/connectors/operators/http/expression.ts';

test.each([
  ['body.code', '011'],
  ["body.code = '011' ? 'no' : 'yes'", 'no'],
  ["$substringAfter(body.total, 'KES ')", '100.0000'],
  ["{ 'a': body.code }.a", '011'],
  ["body.items[name = 'token'].value", '1'],
  ['body.none', undefined],
])('evaluates %s', async (text, value) => {
  const body = { code: '011', total: 'KES 100.0000', items: [{ name: 'token', value: '1' }] };
  expect(await compileExpression('here', text).evaluate({ body })).toBe(value);
});

test.each([
  ['body.', /here, character \d+: /],
  ['/a+/', /not accepted/],
  ['$match(body.a, /(a+)+$/)', /not accepted/],
  ['$contains(body.a, /(a+)+$/)', /not accepted/],
  ['[1..9999999]', /not accepted/],
  ['function($x) { $x }', /lambda.* not accepted/],
  ['($f := function() { $f() }; $f())', /not accepted/],
  ['$map(body, $string)', /\$map.* not accepted/],
  ['$eval(body.code)', /\$eval.* not accepted/],
  ['body ~> | $ | {} |', /not accepted/],
  ['**.a', /not accepted/],
  ['a'.repeat(4_001), /longer than/],
])('%s is refused, with its place', (text, message) => {
  expect(() => compileExpression('here', text)).toThrow(message);
  expect(() => compileExpression('here', text)).toThrow(/here/);
});

test('what answers hold is data, whatever it looks like', async () => {
  const body = JSON.parse('{"code":"$eval(1)","__proto__":{"admin":true}}') as object;
  const evaluate = async (text: string): Promise<unknown> =>
    await compileExpression('here', text).evaluate({ body });
  expect(await evaluate('body.code')).toBe('$eval(1)');
  await evaluate("$merge([body, { 'a': 1 }])").catch(() => undefined);
  expect(({} as Record<string, unknown>)['admin']).toBeUndefined();
  expect(textOf(await evaluate('body.constructor'))).toBeUndefined();
});

test('templates escape every value, and fail without one', async () => {
  const template = compileTemplate('path', '/bills/{{ account }}/pay');
  expect(await template.render({ account: '../x?y' }, encodeURIComponent)).toBe(
    '/bills/..%2Fx%3Fy/pay',
  );
  await expect(template.render({}, encodeURIComponent)).rejects.toThrow(/path/);
});
