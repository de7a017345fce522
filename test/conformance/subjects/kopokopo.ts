import { KopokopoEmulator } from '../../../sandbox/providers/kopokopo/emulator.ts';
import { createGateway } from '../../../sandbox/providers/kopokopo/listener.ts';
import { http } from '../../../src/connectors/operators/http/protocol.ts';
import type { Subject } from '../subject.ts';
import { accountsBy, connectTo, serve, settingsOf, SUFFIXES } from './emulated.ts';

const SETTINGS = settingsOf('kopokopo');
const SECRET = { client_id: 'client', client_secret: 'secret', api_key: 'api-key' };

/** The connector that is all configuration, with the configuration of Kopo Kopo. */
export const kopokopo: Subject = {
  name: 'http, as Kopo Kopo',
  billerCode: 'nairobi_water',
  start: async () => {
    const emulator = new KopokopoEmulator({
      apiKey: SECRET.api_key,
      endsAfterMs: 1,
      spacesCallbacks: true,
    });
    const gateway = createGateway(emulator, { clientId: 'client', clientSecret: 'secret' });
    return {
      ...(await serve(emulator, gateway.listener)),
      connect: (baseUrl, options) =>
        connectTo(http, baseUrl, { ...options, settings: SETTINGS, secret: SECRET }),
      isInstruction: (method, path) => method === 'POST' && path === '/api/v2/send_money',
      accountFor: accountsBy({ ...SUFFIXES, other_amount: null, reversed: null }),
      expireTokens: () => gateway.expireTokens(),
      limitRate: (requests) => gateway.limitRate(requests),
      skewClock: null,
    };
  },
};
