import { expect, test } from 'vitest';
import {
  acceptedStep,
  codeUri,
  newCodeSecret,
} from '../../../../src/parties/people/one-time-code.ts';

/** RFC 6238, appendix B: the SHA-1 secret `12345678901234567890`, the last six digits of each code. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const AT_59 = { code: '287082', secret: SECRET, now: new Date(59_000), lastStep: null };

test.each([
  [59, '287082', 1n],
  [1_111_111_109, '081804', 37_037_036n],
  [20_000_000_000, '353130', 666_666_666n],
])('the code of the RFC at %i s is accepted', (seconds, code, step) => {
  const now = new Date(seconds * 1000);
  expect(acceptedStep({ code, secret: SECRET, now, lastStep: null })).toBe(step);
});

test('a code is accepted one step early and late, and no further', () => {
  expect(acceptedStep({ ...AT_59, now: new Date(29_000) })).toBe(1n);
  expect(acceptedStep({ ...AT_59, now: new Date(89_000) })).toBe(1n);
  expect(acceptedStep({ ...AT_59, now: new Date(90_000) })).toBeUndefined();
});

test('a code counts once', () => {
  expect(acceptedStep({ ...AT_59, lastStep: 0n })).toBe(1n);
  expect(acceptedStep({ ...AT_59, lastStep: 1n })).toBeUndefined();
});

test.each(['', '28708', '2870822', 'abcdef', '287083'])('%j is not accepted', (code) => {
  expect(acceptedStep({ ...AT_59, code })).toBeUndefined();
});

test('spaces in a code do not matter', () => {
  expect(acceptedStep({ ...AT_59, code: '287 082' })).toBe(1n);
});

test('a new secret has 160 bits and is named in the URI of apps', () => {
  const secret = newCodeSecret();
  expect(secret).toMatch(/^[A-Z2-7]{32}$/);
  const uri = new URL(codeUri(secret, 'achieng@pay.example'));
  expect(uri.protocol).toBe('otpauth:');
  expect(uri.searchParams.get('secret')).toBe(secret);
  expect(uri.searchParams.get('issuer')).toBe('Malipo');
});
