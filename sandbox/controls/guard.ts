import { isIP } from 'node:net';
import type { onRequestHookHandler } from 'fastify';
import { Refusal } from '../../src/platform/base/errors.ts';

/**
 * Refuses requests that a page of another site may have made. The demo keys are public, so such a page
 * could sign. Its requests to this origin need the browser's permission for the header `X-Signature`,
 * which nobody gives; but a page whose own name leads here (DNS rebinding) needs none. Its requests
 * carry that name in `Host`.
 */
export function refuseOtherHosts(publicUrl: string): onRequestHookHandler {
  const own = new URL(publicUrl).hostname;
  return (request, _reply, done) => {
    const name = hostnameOf(`http://${request.headers.host ?? ''}`);
    const origin = request.headers.origin;
    if (!isOurs(name, own)) done(refusal('Host'));
    else if (origin !== undefined && !isOurs(hostnameOf(origin), own)) done(refusal('Origin'));
    else done();
  };
}

function hostnameOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : '';
}

/** Addresses have no DNS entry that somebody could change. */
function isOurs(name: string, own: string): boolean {
  const isAddress = isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0;
  return isAddress || name === 'localhost' || name.endsWith('.localhost') || name === own;
}

function refusal(field: string): Refusal {
  const text = `The controls are reached by an address, localhost or the host of PUBLIC_URL; ${field} names another host`;
  return new Refusal('not_permitted', { field, text });
}
