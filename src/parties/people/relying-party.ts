import { isIP } from 'node:net';

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
