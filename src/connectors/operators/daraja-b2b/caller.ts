import { exchange } from '../../../platform/outbound/exchange.ts';
import type { Ending } from '../../../platform/outbound/exchange.ts';
import { createTokenSource } from '../../bearer-token.ts';
import type { IssuedToken, TokenSource } from '../../bearer-token.ts';
import { objectOf, readJson, textOf } from '../../values.ts';
import { withToken } from '../../with-token.ts';
import type { Limit } from '../../with-token.ts';
import { readGateway, refusesToken } from './classify.ts';

/** An app of Daraja's portal. */
export interface DarajaApp {
  readonly baseUrl: URL;
  readonly consumerKey: string;
  readonly consumerSecret: string;
  /** Largest answer. */
  readonly answerBytes: number;
}

export type DarajaCaller = (path: string, content: object, limit: Limit) => Promise<Ending>;

/** Sends with a token, and again with a new one if the gateway refuses the first. */
export function createDarajaCaller(
  options: DarajaApp,
  pool: Parameters<typeof exchange>[0],
): DarajaCaller {
  const prefix = options.baseUrl.pathname.replace(/\/+$/, '');
  const tokens = createTokens(options, pool, prefix);
  return async (path, content, limit) =>
    await withToken(tokens, limit, {
      send: async (token, { deadlineMs, signal }) =>
        await exchange(pool, {
          path: prefix + path,
          body: JSON.stringify(content),
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          answerBytes: options.answerBytes,
          signal,
          deadlineMs,
        }),
      refusesToken: (ending) => refusesToken(readGateway(ending)),
    });
}

function createTokens(
  options: DarajaApp,
  pool: Parameters<typeof exchange>[0],
  prefix: string,
): TokenSource {
  const basic = Buffer.from(`${options.consumerKey}:${options.consumerSecret}`).toString('base64');
  return createTokenSource({
    request: async (deadlineMs) =>
      await exchange(pool, {
        method: 'GET',
        path: `${prefix}/oauth/v1/generate?grant_type=client_credentials`,
        body: null,
        headers: { authorization: `Basic ${basic}` },
        answerBytes: options.answerBytes,
        // Not aborted with a call, because several calls share it.
        signal: new AbortController().signal,
        deadlineMs,
      }),
    read: readToken,
  });
}

function readToken(ending: Extract<Ending, { kind: 'answer' }>): IssuedToken | undefined {
  if (ending.httpStatus !== 200) return undefined;
  const body = objectOf(readJson(ending.body));
  const token = textOf(body?.['access_token']);
  const seconds = Number(textOf(body?.['expires_in']));
  if (token === undefined || !/^[\x21-\x7e]{1,900}$/.test(token)) return undefined;
  return { token, lifeMs: Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : 60_000 };
}
