import { exchange } from '../../../platform/outbound/exchange.ts';
import type { Ending } from '../../../platform/outbound/exchange.ts';
import type { Limit } from '../../with-token.ts';

export type Caller = (
  request: { readonly method: 'GET' | 'POST'; readonly path: string; readonly content?: object },
  limit: Limit,
) => Promise<Ending>;

/** JSON, with key and secret of the account as HTTP Basic. */
export function createCaller(
  pool: Parameters<typeof exchange>[0],
  by: {
    readonly baseUrl: URL;
    readonly apiKey: string;
    readonly apiSecret: string;
    readonly answerBytes: number;
  },
): Caller {
  const prefix = by.baseUrl.pathname.replace(/\/+$/, '');
  const basic = Buffer.from(`${by.apiKey}:${by.apiSecret}`).toString('base64');
  const common = { authorization: `Basic ${basic}`, accept: 'application/json' };
  return async ({ method, path, content }, limit) =>
    await exchange(pool, {
      ...limit,
      method,
      path: prefix + path,
      body: content === undefined ? null : JSON.stringify(content),
      headers: content === undefined ? common : { ...common, 'content-type': 'application/json' },
      answerBytes: by.answerBytes,
    });
}
