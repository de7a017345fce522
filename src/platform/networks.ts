import { BlockList, isIP } from 'node:net';

/** Lists of addresses and networks, as people write them: `192.0.2.1`, `192.0.2.0/24`, `2001:db8::/32`. */

/** True if the text is an address or a network. */
export function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return (
    bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32))
  );
}

/** Tells whether an address is in one of the networks. IPv4 written as IPv6 (`::ffff:10.0.0.1`) counts as IPv4. */
export function createNetworks(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    if (bits === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, Number(bits), familyOf(address));
  }
  return (given) => {
    // BlockList does not parse a zone.
    const address = given.replace(/%.*$/, '');
    return isIP(address) !== 0 && list.check(address, familyOf(address));
  };
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}
