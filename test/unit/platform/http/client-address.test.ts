import { expect, test } from 'vitest';
import { addressOf } from '../../../../src/platform/http/client-address.ts';

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['192.0.2.1:443', '192.0.2.1'],
  [' 192.0.2.1:65535 ', '192.0.2.1'],
  ['"192.0.2.1:443"', '192.0.2.1'],
  ['[2001:db8::1]:443', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['"[2001:db8::1]:443"', '2001:db8::1'],
  ['2001:db8::1', '2001:db8::1'],
  ['::ffff:192.0.2.1', '::ffff:192.0.2.1'],
  ['[::ffff:192.0.2.1]:80', '::ffff:192.0.2.1'],
  // Not an address with a port: left as it is, so that it is in no list.
  ['192.0.2.1:', '192.0.2.1:'],
  ['192.0.2.1:x', '192.0.2.1:x'],
  ['192.0.2.256:443', '192.0.2.256:443'],
  ['[192.0.2.1]:443', '[192.0.2.1]:443'],
  ['unknown:443', 'unknown:443'],
  ['', ''],
])('%j is from the address %j', (entry, address) => {
  expect(addressOf(entry)).toBe(address);
});
