import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyRequest } from 'fastify';

/** A cookie of the console: its name and its attributes. */
export interface ConsoleCookie {
  nameFor(request: FastifyRequest): string;
  optionsFor(request: FastifyRequest): CookieSerializeOptions;
  /** Its value; empty: none. */
  valueOf(request: FastifyRequest): string;
}

/**
 * Over TLS the prefix makes browsers refuse the cookie from anything but this host (RFC 6265bis §4.1.3).
 * The public URL decides: a proxy that does not say, or is not trusted to say, that people use https must not make
 * the cookie readable on the way.
 */
export function consoleCookie(name: string, publicUrl: string): ConsoleCookie {
  const isPublicHttps = new URL(publicUrl).protocol === 'https:';
  const isSecure = (request: FastifyRequest): boolean =>
    isPublicHttps || request.protocol === 'https';
  const nameFor = (request: FastifyRequest): string =>
    isSecure(request) ? `__Host-${name}` : name;
  return {
    nameFor,
    // For the whole host: behind a proxy the browser may see the console below another path.
    optionsFor: (request) => ({
      ...{ path: '/', httpOnly: true, sameSite: 'strict', secure: isSecure(request) },
    }),
    valueOf: (request) => request.cookies[nameFor(request)] ?? '',
  };
}
