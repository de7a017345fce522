import { isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import { createLookup } from './host-names.ts';
import type { Resolve } from './host-names.ts';
import { createNetworks } from '../networks.ts';

/**
 * The address ranges of servers on the Internet. All other IPv6 is special-purpose or unassigned.
 */
const isAssigned = createNetworks(['0.0.0.0/0', '2000::/3']);

/** Ranges within it that are not Internet servers, by the IANA special-purpose registries. */
const isSpecial = createNetworks([
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/3', // multicast, reserved, broadcast
  '2001::/23', // protocol assignments: Teredo, benchmarks, ORCHID and others
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4, which holds an IPv4 address
  '3fff::/20', // documentation
]);

function isPrivateAddress(address: string): boolean {
  // A zone only follows link-local addresses.
  return address.includes('%') || !isAssigned(address) || isSpecial(address);
}

/**
 * True if a URL's host is in a private network. Looks nothing up.
 * @param hostname as `URL` returns it, which normalises every form of an address.
 */
export function isPrivateHost(hostname: string): boolean {
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  return hostname === 'localhost' || (isIP(address) !== 0 && isPrivateAddress(address));
}

/**
 * Looks up a name for one connection, which uses exactly the addresses that were checked. A name
 * that resolves to a private network, on purpose or because it was changed, is refused
 * (`EPRIVATE`). Not called for literal addresses, which somebody entered deliberately, nor for
 * `localhost`.
 */
export function createPublicLookup(resolve?: Resolve): LookupFunction {
  return createLookup(resolve, (hostname, addresses) => {
    if (hostname === 'localhost' || !addresses.some((one) => isPrivateAddress(one.address))) return;
    const refusal = new Error(`${hostname} resolves to a private address`);
    throw Object.assign(refusal, { code: 'EPRIVATE' });
  });
}
