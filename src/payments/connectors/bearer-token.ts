import type { Ending } from '../../platform/outbound/exchange.ts';

/** A token of an operator's API, and when it stops being used. */
export interface IssuedToken {
  readonly token: string;
  readonly lifeMs: number;
}

export type TokenResult =
  | { readonly kind: 'token'; readonly token: string }
  /** Nothing that needs a token was sent. */
  | { readonly kind: 'no_token'; readonly reason: string; readonly answered: boolean };

/** Shares one token among calls; only one request for a new one is under way at a time. */
export interface TokenSource {
  get(deadlineMs: number): Promise<TokenResult>;
  /** The operator refused this token; the next call asks for another. */
  refused(token: string): void;
}

/** A token is replaced this much before it expires. */
const MARGIN_MS = 60_000;

export function createTokenSource(options: {
  /** Requests a token. */
  readonly request: (deadlineMs: number) => Promise<Ending>;
  /** Undefined: the answer holds no token. */
  readonly read: (
    ending: Extract<Ending, { kind: 'answer' }>,
  ) => IssuedToken | undefined | Promise<IssuedToken | undefined>;
}): TokenSource {
  let current: { readonly token: string; readonly usableUntilMs: number } | undefined;
  let requesting: Promise<TokenResult> | undefined;

  const request = async (deadlineMs: number): Promise<TokenResult> => {
    const ending = await options.request(deadlineMs);
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
