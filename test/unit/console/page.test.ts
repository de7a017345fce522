import { expect, test } from 'vitest';
import { baseOf } from '../../../src/console/page.ts';

test.each([
  ['/console/', './'],
  ['/console/payments', './'],
  ['/console/payments?status=failed&next=/a/b', './'],
  ['/console/payments/00000081', '../'],
  ['/console/vendors/demo/keys', '../../'],
])('the base of %s is %s', (url, base) => {
  expect(baseOf(url, '/console')).toBe(base);
  const from = new URL(`https://pay.example/prefix${url}`);
  expect(new URL(base, from).pathname).toBe('/prefix/console/');
});
