import { Type } from 'typebox';
import { orNull } from '../platform/base/json-fields.ts';
import { Pool } from 'undici';
import { lookupHost } from '../platform/outbound/host-names.ts';
import { createPublicLookup } from '../platform/outbound/public-lookup.ts';
import type { ConfiguredOperator } from './operator.ts';

/** Settings that every protocol over HTTP has; times in milliseconds. */
export const CONNECTION_SETTINGS = {
  pay_timeout_ms: Type.Optional(Type.Integer({ minimum: 100, maximum: 240_000 })),
  status_timeout_ms: Type.Optional(Type.Integer({ minimum: 100, maximum: 120_000 })),
  connect_timeout_ms: Type.Optional(Type.Integer({ minimum: 100, maximum: 60_000 })),
  /** The operator's host name may resolve to a private network. */
  private_addresses: Type.Optional(Type.Literal('allow')),
};

const DAY_MS = 86_400_000;

/** See `Connector.caseAfterMs`; each protocol has a default. */
export const caseAfterMs = Type.Integer({ minimum: 60_000, maximum: DAY_MS });

/** See `Connector.acceptanceWindowMs`. */
export const acceptanceWindowMs = orNull(Type.Integer({ minimum: 0, maximum: DAY_MS }));

export interface ConnectionSettings {
  readonly pay_timeout_ms?: number;
  readonly status_timeout_ms?: number;
  readonly connect_timeout_ms?: number;
  readonly private_addresses?: 'allow';
}

export interface Connection {
  /** Limit of an instruction, from waiting for a connection to the last byte of the answer. */
  readonly payTimeoutMs: number;
  /** Limit of any other request, counted in the same way. */
  readonly statusTimeoutMs: number;
  /** Limit of TCP and TLS together. */
  readonly connectTimeoutMs: number;
  /** True: its name may resolve to a private network, such as a VPN. */
  readonly allowsPrivateAddresses?: boolean;
  readonly maxConnections: number;
}

export function connectionOf(
  operator: Pick<ConfiguredOperator, 'maxConcurrency'>,
  settings: ConnectionSettings,
): Connection {
  return {
    payTimeoutMs: payTimeoutOf(settings),
    statusTimeoutMs: settings.status_timeout_ms ?? 15_000,
    connectTimeoutMs: settings.connect_timeout_ms ?? 5_000,
    allowsPrivateAddresses: settings.private_addresses === 'allow',
    maxConnections: operator.maxConcurrency,
  };
}

export function payTimeoutOf({ pay_timeout_ms: ms }: ConnectionSettings): number {
  return ms ?? 30_000;
}

/** One request per connection at a time; certificates are always checked. */
export function createOperatorPool(origin: string, options: Connection): Pool {
  return new Pool(origin, {
    connections: options.maxConnections,
    // One request per connection, so that a broken connection affects only one payment.
    pipelining: 1,
    allowH2: false,
    // `exchange` enforces one deadline over everything; a second timer could only contradict it.
    headersTimeout: 0,
    bodyTimeout: 0,
    // Set explicitly, so that no environment variable can turn certificate checks off.
    connect: {
      timeout: options.connectTimeoutMs,
      rejectUnauthorized: true,
      lookup: options.allowsPrivateAddresses === true ? lookupHost : createPublicLookup(),
    },
  });
}

/**
 * Throws an `Error` naming the operator, unless the URL is https, or http to this machine, and written as it is read:
 * people approve the text, and letters that look alike, or are not seen at all, would be another address.
 */
export function readBaseUrl({
  operatorCode,
  baseUrl,
  kind = 'operator',
  what = 'the base URL',
}: {
  readonly operatorCode: string;
  readonly baseUrl: string;
  /** Whose URL it is, and what it is called in errors. */
  readonly kind?: string;
  readonly what?: string;
}): URL {
  const url = URL.parse(baseUrl);
  if (url === null || url.href !== url.origin + url.pathname) {
    throw new Error(`${kind} ${operatorCode}: ${what} must be https://host[:port][/path]`);
  }
  const isRead = url.href.replace(/\/$/, '');
  if (baseUrl.replace(/\/$/, '') !== isRead) {
    throw new Error(
      `${kind} ${operatorCode}: ${what} is not written as it is read: write it as ${isRead}`,
    );
  }
  // Answers are not signed; TLS proves that they are the operator's.
  const local = ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && local)) {
    throw new Error(`${kind} ${operatorCode}: ${what} must be https (http only to localhost)`);
  }
  return url;
}
