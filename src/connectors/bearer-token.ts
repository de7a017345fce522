import { setTimeout as pause } from 'node:timers/promises';
import type { Ending } from '../platform/outbound/exchange.ts';
import { objectOf, readJson, textOf } from './values.ts';

/** A token of an operator's API, and when it stops being used. */
export interface IssuedToken {
  readonly token: string;
  readonly lifeMs: number;
}

type Answer = Extract<Ending, { kind: 'answer' }>;

export type TokenResult =
  | { readonly kind: 'token'; readonly token: string }
  /** No token, so nothing was sent. */
  | { readonly kind: 'no_token'; readonly reason: string; readonly answered: boolean };

/** Shares one token among calls; only one request for a new token is in progress at a time. */
export interface TokenSource {
  get(deadlineMs: number): Promise<TokenResult>;
  /** The operator refused this token; the next call requests a new one. */
  refused(token: string): void;
}

/** A token is replaced this much before it expires. */
const MARGIN_MS = 60_000;

/**
 * Where a new token invalidates the previous one, two processes that share an account invalidate each
 * other's tokens, and every call would request a new one. After this many requests within this time,
 * the next one waits.
 */
const MAX_REQUESTS = 20;
const WINDOW_MS = 20_000;

export function createTokenSource(options: {
  /** Requests a token. */
  readonly request: (deadlineMs: number) => Promise<Ending>;
  /** Undefined: the answer holds no token. */
  readonly read: (ending: Answer) => IssuedToken | undefined | Promise<IssuedToken | undefined>;
}): TokenSource {
  let current: { readonly token: string; readonly usableUntilMs: number } | undefined;
  let requesting: Promise<TokenResult> | undefined;

  const requestedAtMs: number[] = [];

  const request = async (deadlineMs: number): Promise<TokenResult> => {
    const beganMs = performance.now();
    const restMs = restOf(requestedAtMs, beganMs);
    if (restMs > 0) await pause(Math.min(restMs, deadlineMs));
    if (restMs >= deadlineMs) {
      const reason = 'no token: too many were refused; is the account used by another process?';
      return { kind: 'no_token', reason, answered: true };
    }
    requestedAtMs.push(performance.now());
    requestedAtMs.splice(0, requestedAtMs.length - MAX_REQUESTS);
    const ending = await options.request(deadlineMs - (performance.now() - beganMs));
    if (ending.kind !== 'answer') {
      return { kind: 'no_token', reason: `no token: ${ending.reason}`, answered: false };
    }
    const issued = await options.read(ending);
    if (issued === undefined) {
      const reason = `no token: HTTP ${ending.httpStatus}`;
      return { kind: 'no_token', reason, answered: ending.httpStatus < 500 };
    }
    const lifeMs = Math.max(issued.lifeMs - MARGIN_MS, issued.lifeMs / 2);
    current = { token: issued.token, usableUntilMs: performance.now() + lifeMs };
    return { kind: 'token', token: issued.token };
  };
  return {
    get: async (deadlineMs) => {
      if (current !== undefined && performance.now() < current.usableUntilMs) {
        return { kind: 'token', token: current.token };
      }
      requesting ??= request(deadlineMs).finally(() => {
        requesting = undefined;
      });
      return await requesting;
    },
    refused: (token) => {
      if (current?.token === token) current = undefined;
    },
  };
}

/** Returns the wait before another request, in milliseconds. */
function restOf(requestedAtMs: readonly number[], nowMs: number): number {
  const oldest = requestedAtMs.at(-MAX_REQUESTS);
  return oldest === undefined ? 0 : Math.max(0, oldest + WINDOW_MS - nowMs);
}

/** The life of a token whose answer does not say it. */
const UNSAID_LIFE_MS = 60_000;

/** Reads the answer that OAuth 2.0 (RFC 6749 §5.1) defines. Undefined: it holds no token. */
export function readAccessToken({ httpStatus, body }: Answer): IssuedToken | undefined {
  const given = httpStatus === 200 ? objectOf(readJson(body)) : undefined;
  return issuedToken(textOf(given?.['access_token']), Number(textOf(given?.['expires_in'])));
}

/** Undefined: it cannot be a header of a request. */
export function issuedToken(token: string | undefined, seconds: number): IssuedToken | undefined {
  if (token === undefined || !/^[\x21-\x7e]{1,4000}$/.test(token)) return undefined;
  const isSaid = Number.isFinite(seconds) && seconds > 0;
  return { token, lifeMs: isSaid ? seconds * 1000 : UNSAID_LIFE_MS };
}
