import type { Ending } from '../../../platform/outbound/exchange.ts';
import { withBearer } from '../../http-api.ts';
import type { HttpApi } from '../../http-api.ts';
import type { Limit } from '../../with-token.ts';
import { readGateway, refusesToken } from './classify.ts';

/** An app of Daraja's portal. */
export interface DarajaApp {
  readonly consumerKey: string;
  readonly consumerSecret: string;
}

export type DarajaCaller = (path: string, content: object, limit: Limit) => Promise<Ending>;

/** Calls as an app of Daraja's portal. */
export function createDarajaCaller(api: HttpApi, app: DarajaApp): DarajaCaller {
  const basic = Buffer.from(`${app.consumerKey}:${app.consumerSecret}`).toString('base64');
  const call = withBearer(api, {
    request: {
      path: '/oauth/v1/generate?grant_type=client_credentials',
      headers: { authorization: `Basic ${basic}` },
    },
    refusesToken: (ending) => refusesToken(readGateway(ending)),
  });
  return async (path, content, limit) => await call({ path, json: JSON.stringify(content) }, limit);
}
