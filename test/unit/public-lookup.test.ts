import type { LookupAddress } from 'node:dns';
import { describe, expect, test } from 'vitest';
import { createPublicLookup, isPrivateHost } from '../../src/outbound/public-lookup.ts';

/** Looks a name up that leads to these addresses; the error's code, or the addresses. */
async function lookedUp(
  hostname: string,
  addresses: readonly string[],
  all = true,
): Promise<unknown> {
  const found = addresses.map((address): LookupAddress => ({
    address,
    family: address.includes(':') ? 6 : 4,
  }));
  const lookup = createPublicLookup((_hostname, _options, callback) => callback(null, found));
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
  ])('refuses a name that leads to %s', async (address) => {
    expect(await lookedUp('pay.example', [address])).toBe('EPRIVATE');
    expect(await lookedUp('pay.example', ['196.201.214.200', address])).toBe('EPRIVATE');
  });

  test('may lead to public addresses, and the connection goes to those', async () => {
    const addresses = ['196.201.214.200', '2c0f:fe38::1', '172.32.0.1'];
    expect(await lookedUp('pay.example', addresses)).toEqual(
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
    expect(await lookedUp('pay.example', addresses, false)).toBe('196.201.214.200');
  });

  test('may be this machine’s own', async () => {
    expect(await lookedUp('localhost', ['127.0.0.1'], false)).toBe('127.0.0.1');
  });

  test('without an address is an error', async () => {
    expect(await lookedUp('pay.example', [])).toContain('no address');
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
  ])('is private: %s', (host) => {
    expect(isPrivateHost(new URL(`https://${host}/`).hostname)).toBe(true);
  });

  test.each(['pay.example', '196.201.214.200', '[2c0f:fe38::1]', 'localhost.example'])(
    'is public, or will be looked up: %s',
    (host) => {
      expect(isPrivateHost(new URL(`https://${host}/`).hostname)).toBe(false);
    },
  );
});
