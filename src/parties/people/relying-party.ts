import { isIP } from 'node:net';
import { Refusal } from '../../platform/base/errors.ts';

/** The site that passkeys belong to. */
export interface RelyingParty {
  /** The host name that browsers bind a passkey to. */
  readonly id: string;
  /** Where the console's page comes from. */
  readonly origin: string;
}

/**
 * The site of the configured public URL, never of a request's headers, which a proxy or a client
 * chooses. Undefined: browsers allow no passkeys there, because it is an address without a name, or
 * without TLS. In the sandbox without a name, `localhost` at the port of `publicUrl`.
 */
export function relyingPartyOf(publicUrl: string, isSandbox: boolean): RelyingParty | undefined {
  const url = new URL(publicUrl);
  const { hostname, protocol } = url;
  const isAddress = isIP(hostname) !== 0 || hostname.startsWith('[');
  if (isAddress) {
    if (!isSandbox) return undefined;
    url.hostname = 'localhost';
    return { id: 'localhost', origin: url.origin };
  }
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost');
  return protocol === 'https:' || isLocal ? { id: hostname, origin: url.origin } : undefined;
}

/**
 * The site, if the page of a request comes from it. Browsers would refuse with an error that names no
 * address, or the device's answer would be for another site.
 * @param pageOrigin the request's `Origin`, which browsers send with every POST.
 * Throws: `not_permitted`, with the address at which passkeys work.
 */
export function requireParty(
  party: RelyingParty | undefined,
  pageOrigin: string | undefined,
): RelyingParty {
  if (party === undefined) {
    const text = 'Passkeys need a PUBLIC_URL with https and a host name';
    throw new Refusal('not_permitted', { text });
  }
  if (pageOrigin === undefined || pageOrigin === party.origin) return party;
  const text = `Passkeys work only at ${party.origin}, and this page is at ${pageOrigin}`;
  throw new Refusal('not_permitted', { text });
}
