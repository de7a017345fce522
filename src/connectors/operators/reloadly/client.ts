import { openApi, withBearer } from '../../http-api.ts';
import type { ApiOptions, HttpApi } from '../../http-api.ts';
import { refusesToken } from './classify.ts';
import { tokenRequest } from './requests.ts';

export interface ClientOptions extends ApiOptions {
  readonly authUrl: URL;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The API that the token gives access to. A token of another audience is refused. */
  readonly audience: string;
}

/** Calls with a token of the audience. */
export function createClient(options: ClientOptions): HttpApi {
  const api = openApi(options);
  const issuer = openApi({ ...options, baseUrl: options.authUrl, maxConnections: 1 });
  return {
    call: withBearer(api, {
      issuer,
      request: {
        path: '/oauth/token',
        json: JSON.stringify(tokenRequest(options)),
        headers: { accept: 'application/json' },
      },
      headersOf: (token) => ({
        accept: 'application/com.reloadly.topups-v1+json',
        authorization: `Bearer ${token}`,
      }),
      refusesToken,
    }),
    close: async () => {
      await Promise.all([api.close(), issuer.close()]);
    },
  };
}
