import { expect, test } from 'vitest';
import { createNetworks, isNetwork } from '../../../src/platform/networks.ts';

test.each(['192.0.2.1', '192.0.2.0/24', '0.0.0.0/0', '2001:db8::1', '2001:db8::/32', '::1/128'])(
  '%s is an address or a network',
  (text) => {
    expect(isNetwork(text)).toBe(true);
  },
);

test.each(['', 'example.com', '192.0.2.0/33', '::/129', '192.0.2.0/', '192.0.2.0/8/8', '1.2.3/8'])(
  '“%s” is neither an address nor a network',
  (text) => {
    expect(isNetwork(text)).toBe(false);
  },
);

test.each([
  ['192.0.2.7', true],
  ['192.0.3.7', false],
  ['::ffff:192.0.2.7', true],
  ['198.51.100.1', true],
  ['198.51.100.2', false],
  ['2001:db8::5', true],
  ['2001:db9::5', false],
  ['2001:db8::5%eth0', true],
  ['example.com', false],
])('whether %s is in a list of networks is %s', (address, expected) => {
  const isListed = createNetworks(['192.0.2.0/24', '198.51.100.1', '2001:db8::/32']);
  expect(isListed(address)).toBe(expected);
});
