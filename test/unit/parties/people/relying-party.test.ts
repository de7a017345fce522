import { expect, test } from 'vitest';
import { relyingPartyOf, requireParty } from '../../../../src/parties/people/relying-party.ts';

test.each([
  ['https://pay.example', { id: 'pay.example', origin: 'https://pay.example' }],
  ['https://pay.example:8443/api', { id: 'pay.example', origin: 'https://pay.example:8443' }],
  ['http://localhost:8080', { id: 'localhost', origin: 'http://localhost:8080' }],
  ['http://pay.example', undefined],
  ['https://203.0.113.7', undefined],
  ['https://[2001:db8::1]', undefined],
])('passkeys at %s', (publicUrl, party) => {
  expect(relyingPartyOf(publicUrl, false)).toEqual(party);
});

test('the sandbox is at localhost where it has no name', () => {
  const party = { id: 'localhost', origin: 'http://localhost:8080' };
  expect(relyingPartyOf('http://127.0.0.1:8080', true)).toEqual(party);
});

test('a page elsewhere is told where passkeys work', () => {
  const party = { id: 'pay.example', origin: 'https://pay.example' };
  expect(requireParty(party, party.origin)).toBe(party);
  expect(requireParty(party, undefined)).toBe(party);
  expect(() => requireParty(party, 'https://10.0.0.1')).toThrow(
    'Passkeys work only at https://pay.example, and this page is at https://10.0.0.1',
  );
  expect(() => requireParty(undefined, party.origin)).toThrow('PUBLIC_URL');
});
