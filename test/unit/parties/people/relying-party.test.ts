import { expect, test } from 'vitest';
import { relyingPartyOf } from '../../../../src/parties/people/relying-party.ts';

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
