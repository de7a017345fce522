import { exchange } from '../../../platform/outbound/exchange.ts';
import type { Ending } from '../../../platform/outbound/exchange.ts';
import { createTokenSource } from '../../bearer-token.ts';
import type { IssuedToken } from '../../bearer-token.ts';
import { createOperatorPool } from '../../connection.ts';
import type { Connection } from '../../connection.ts';
import { objectOf, readJson, textOf } from '../../values.ts';
import { withToken } from '../../with-token.ts';
import type { Limit } from '../../with-token.ts';
import { refusesToken } from './classify.ts';
import { tokenRequest } from './requests.ts';

export interface ClientOptions extends Connection {
  readonly baseUrl: URL;
  readonly authUrl: URL;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The API that the token gives access to. A token of another audience is refused. */
  readonly audience: string;
  readonly answerBytes: number;
}

export interface Client {
  get(path: string, limit: Limit): Promise<Ending>;
  post(path: string, content: object, limit: Limit): Promise<Ending>;
  close(): Promise<void>;
}

/** Calls with a token of the audience. */
export function createClient(options: ClientOptions): Client {
  const pool = createOperatorPool(options.baseUrl.origin, options);
  const authPool = createOperatorPool(options.authUrl.origin, { ...options, maxConnections: 1 });
  const prefix = options.baseUrl.pathname.replace(/\/+$/, '');
  const { answerBytes } = options;
  const tokens = createTokenSource({
    request: async (deadlineMs) =>
      await exchange(authPool, {
        path: `${options.authUrl.pathname.replace(/\/+$/, '')}/oauth/token`,
        body: JSON.stringify(tokenRequest(options)),
        headers: { accept: 'application/json', 'content-type': 'application/json' },
        answerBytes,
        deadlineMs,
        // Not aborted with a call, because several calls share it.
        signal: new AbortController().signal,
      }),
    read: readToken,
  });
  const call = async (path: string, content: object | null, limit: Limit): Promise<Ending> =>
    await withToken(tokens, limit, {
      send: async (token, left) =>
        await exchange(pool, {
          ...left,
          method: content === null ? 'GET' : 'POST',
          path: prefix + path,
          body: content === null ? null : JSON.stringify(content),
          headers: {
            accept: 'application/com.reloadly.topups-v1+json',
            authorization: `Bearer ${token}`,
            ...(content === null ? {} : { 'content-type': 'application/json' }),
          },
          answerBytes,
        }),
      refusesToken,
    });
  return {
    get: async (path, limit) => await call(path, null, limit),
    post: call,
    close: async () => {
      await Promise.all([pool.close(), authPool.close()]);
    },
  };
}

function readToken(ending: Extract<Ending, { kind: 'answer' }>): IssuedToken | undefined {
  const body = ending.httpStatus === 200 ? objectOf(readJson(ending.body)) : undefined;
  const token = textOf(body?.['access_token']);
  const seconds = Number(textOf(body?.['expires_in']));
  if (token === undefined || !/^[\x21-\x7e]{1,4000}$/.test(token)) return undefined;
  return { token, lifeMs: seconds > 0 ? seconds * 1000 : 60_000 };
}
