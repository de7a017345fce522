import { LIMITS } from '../platform/base/limits.ts';
import { exchange } from '../platform/outbound/exchange.ts';
import type { Call, Ending } from '../platform/outbound/exchange.ts';
import { createTokenSource, readAccessToken } from './bearer-token.ts';
import { connectionOf, createOperatorPool, readBaseUrl } from './connection.ts';
import type { Connection, ConnectionSettings } from './connection.ts';
import type { ConfiguredOperator } from './operator.ts';
import { withToken } from './with-token.ts';
import type { Limit } from './with-token.ts';

export interface ApiRequest {
  /** Below the base URL. */
  readonly path: string;
  /** Default: POST with a body, GET without one. */
  readonly method?: Call['method'];
  readonly headers?: Call['headers'];
  /** A body, which is JSON, or a form. */
  readonly json?: string;
  readonly form?: string;
}

export type ApiCall = (request: ApiRequest, limit: Limit) => Promise<Ending>;

/** An operator's HTTP API below one URL. */
export interface HttpApi {
  readonly call: ApiCall;
  readonly close: () => Promise<void>;
}

export interface ApiOptions extends Connection {
  readonly baseUrl: URL;
  /** Largest answer. */
  readonly answerBytes: number;
}

/** Throws as `readBaseUrl` does. */
export function apiOf(operator: ConfiguredOperator, settings: ConnectionSettings): ApiOptions {
  return {
    ...connectionOf(operator, settings),
    baseUrl: readBaseUrl(operator),
    answerBytes: LIMITS.operatorAnswerBytes,
  };
}

/** @param common headers of every request. */
export function openApi(
  { baseUrl, answerBytes, ...connection }: ApiOptions,
  common: Call['headers'] = {},
): HttpApi {
  const pool = createOperatorPool(baseUrl.origin, connection);
  const prefix = pathPrefixOf(baseUrl);
  let closing: Promise<void> | undefined;
  return {
    call: async ({ path, method, headers, json, form }, limit) => {
      const body = json ?? form ?? null;
      const type = json === undefined ? 'application/x-www-form-urlencoded' : 'application/json';
      return await exchange(pool, {
        ...limit,
        method: method ?? (body === null ? 'GET' : 'POST'),
        path: prefix + path,
        body,
        headers: { ...common, ...headers, ...(body !== null && { 'content-type': type }) },
        answerBytes,
      });
    },
    close: () => (closing ??= pool.close()),
  };
}

/** The path of a base URL, without slashes at its end. */
export function pathPrefixOf({ pathname }: URL): string {
  return pathname.replace(/\/+$/, '');
}

/** Calls with a token, and again with a new one if the operator refuses the first. */
export function withBearer(
  { call }: Pick<HttpApi, 'call'>,
  by: {
    /** Requests a token. */
    readonly request: ApiRequest;
    /** Default: the same API. */
    readonly issuer?: Pick<HttpApi, 'call'>;
    readonly headersOf?: (token: string) => Call['headers'];
    readonly refusesToken: (ending: Ending) => boolean;
  },
): ApiCall {
  const issuer = by.issuer?.call ?? call;
  const headersOf = by.headersOf ?? ((token) => ({ authorization: `Bearer ${token}` }));
  const tokens = createTokenSource({
    request: async (deadlineMs) =>
      // Not aborted with a call, because several calls share it.
      await issuer(by.request, { deadlineMs, signal: new AbortController().signal }),
    read: readAccessToken,
  });
  return async (request, limit) =>
    await withToken(tokens, limit, {
      send: async (token, left) =>
        await call({ ...request, headers: { ...request.headers, ...headersOf(token) } }, left),
      refusesToken: by.refusesToken,
    });
}
