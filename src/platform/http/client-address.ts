import { isIPv4, isIPv6 } from 'node:net';
import type { Server } from 'node:http';

const HEADER = 'x-forwarded-for';

/**
 * Removes the ports that some proxies (Azure, IIS) put behind the addresses in X-Forwarded-For, before
 * anything reads the client's address. With them each connection would be another client, an address would be
 * in no list, and a proxy in the middle would not be recognised as trusted.
 */
export function removePortsOfClients(server: Server): void {
  server.prependListener('request', ({ headers }) => {
    const forwarded = headers[HEADER];
    if (typeof forwarded !== 'string' || !/[:[]/.test(forwarded)) return;
    headers[HEADER] = forwarded.split(',').map(addressOf).join(',');
  });
}

/** The address of an entry such as `192.0.2.1:443`, `[2001:db8::1]:443` or `2001:db8::1`. */
export function addressOf(entry: string): string {
  const text = entry.trim();
  const [, v4, v6] = /^"?(?:([\d.]+)|\[([\da-f:.%]+)\])(?::\d{1,5})?"?$/i.exec(text) ?? [];
  if (v4 !== undefined && isIPv4(v4)) return v4;
  return v6 !== undefined && isIPv6(v6) ? v6 : text;
}
