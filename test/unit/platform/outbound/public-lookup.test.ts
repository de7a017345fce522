import type { LookupAddress } from 'node:dns';
import { describe, expect, test } from 'vitest';
import {
  createPublicLookup,
  isPrivateHost,
} from '../../../../src/platform/outbound/public-lookup.ts';

/** One address, or both ends, of each range that the IANA registries call special. */
const NOT_GLOBAL = [
  ...['192.0.2.1', '198.51.100.255', '203.0.113.0', '192.88.99.1', '100.127.255.255'],
  ...['224.0.0.1', '239.255.255.255', '240.0.0.1'],
  // IPv4 in IPv6: compatible, mapped, translated, NAT64, 6to4, Teredo.
  ...['::127.0.0.1', '::8.8.8.8', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:0:127.0.0.1'],
  ...['64:ff9b::127.0.0.1', '64:ff9b::8.8.8.8', '64:ff9b:1::1', '64:ff9b:1:ffff::10.0.0.1'],
  ...['2002:7f00:1::', '2002::', '2002:ffff:ffff::1', '2001::1', '2001:0:ffff::1'],
  // Discard, site-local, unique local, link-local, multicast, ORCHID, benchmarks, documentation.
  ...['100::1', '100:0:0:1::1', 'fec0::1', 'feff::1', 'fdff::1', 'febf::1', 'fe80::1%eth0'],
  ...['ff02::1', 'ff0e::1', '2001:10::1', '2001:2f::1', '2001:2::1', '2001:1ff:ffff::1'],
  ...['2001:db8::1', '3fff::1', '3fff:fff:ffff::1', '5f00::1', '1fff::1', '4000::1', '8000::1'],
];

/** Looks up a name with these addresses; returns the error's code, or the addresses. */
async function lookedUp(
  hostname: string,
  addresses: readonly string[],
  all = true,
): Promise<unknown> {
  const found = addresses.map((address): LookupAddress => ({
    address,
    family: address.includes(':') ? 6 : 4,
  }));
  const lookup = createPublicLookup(() => Promise.resolve(found));
  return await new Promise((resolve) => {
    lookup(hostname, { all }, (error, result) => resolve(error?.code ?? error?.message ?? result));
  });
}

describe('an operator’s name', () => {
  test.each([
    '10.0.0.1',
    '127.0.0.1',
    '169.254.169.254',
    '172.31.255.255',
    '192.168.1.1',
    '100.64.0.1',
    '192.0.0.8',
    '198.18.0.1',
    '0.0.0.0',
    '255.255.255.255',
    '::1',
    '::',
    'fd00::1',
    'fe80::1',
    '::ffff:10.0.0.1',
    ...NOT_GLOBAL,
  ])('refuses a name that resolves to %s', async (address) => {
    expect(await lookedUp('pay.example', [address])).toBe('EPRIVATE');
    expect(await lookedUp('pay.example', ['196.201.214.200', address])).toBe('EPRIVATE');
  });

  test('may resolve to public addresses, and the connection uses these', async () => {
    const addresses = [
      ...['196.201.214.200', '172.32.0.1', '8.8.8.8', '192.0.1.1', '198.20.0.0', '223.255.255.255'],
      ...['2c0f:fe38::1', '2001:200::1', '2001:4860:4860::8888', '2003::1', '3ffe::1'],
      '::ffff:8.8.8.8',
    ];
    expect(await lookedUp('pay.example', addresses)).toEqual(
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
    expect(await lookedUp('pay.example', addresses, false)).toBe('196.201.214.200');
  });

  test('may be this machine’s own', async () => {
    expect(await lookedUp('localhost', ['127.0.0.1'], false)).toBe('127.0.0.1');
  });

  test('without an address is an error', async () => {
    expect(await lookedUp('pay.example', [])).toBe('ENOTFOUND');
  });
});

describe('a host that is not looked up', () => {
  test.each([
    'localhost',
    '127.1',
    '2130706433',
    '0x7f.0.0.1',
    '10.1.2.3',
    '[::1]',
    '[::ffff:192.168.0.1]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[fec0::1]',
  ])('the host is private: %s', (host) => {
    expect(isPrivateHost(new URL(`https://${host}/`).hostname)).toBe(true);
  });

  test.each(['pay.example', '196.201.214.200', '[2c0f:fe38::1]', 'localhost.example'])(
    'the host is public, or will be looked up: %s',
    (host) => {
      expect(isPrivateHost(new URL(`https://${host}/`).hostname)).toBe(false);
    },
  );
});
