import { http } from '../../../src/connectors/operators/http/protocol.ts';
import { VtpassEmulator } from '../../../sandbox/providers/vtpass/emulator.ts';
import type { Subject } from '../subject.ts';
import { accountsBy, connectTo, serve, settingsOf, SUFFIXES } from './emulated.ts';

const SECRET = { api_key: 'a', secret_key: 's', public_key: 'p' };

export const VTPASS_SETTINGS = settingsOf('vtpass');

/** The connector that is all configuration, with the configuration of VTpass. */
export const vtpass: Subject = {
  name: 'http, as VTpass',
  billerCode: 'kplc_prepaid',
  start: async () => {
    let webhookUrl = '';
    const emulator = new VtpassEmulator({
      apiKey: 'a',
      webhookUrl: () => webhookUrl,
      deliverAfterMs: 1,
    });
    return {
      ...(await serve(emulator, emulator.listener)),
      connect: (baseUrl, options) => {
        webhookUrl = options.callbackUrl;
        return connectTo(http, baseUrl, { ...options, settings: VTPASS_SETTINGS, secret: SECRET });
      },
      isInstruction: (_method, path) => path === '/api/pay',
      accountFor: accountsBy({ ...SUFFIXES, callback_missing: '9901' }),
      expireTokens: null,
      limitRate: (requests) => emulator.limitRate(requests),
      skewClock: (byMs) => emulator.skewClock(byMs),
    };
  },
};
