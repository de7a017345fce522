import { reloadly as protocol } from '../../../src/connectors/operators/reloadly/protocol.ts';
import { kenyanMobileNumber } from '../../../src/platform/base/mobile-number.ts';
import { ReloadlyEmulator } from '../../../sandbox/providers/reloadly/emulator.ts';
import { createGateway } from '../../../sandbox/providers/reloadly/listener.ts';
import type { Subject } from '../subject.ts';
import { accountsBy, connectTo, serve, SUFFIXES } from './emulated.ts';

const SECRET = {
  client_id: 'client',
  client_secret: 'secret',
  webhook_secret: 'webhook-secret',
};

/** @param refusalUsesIdentifier what the emulator does; unknown for the real provider. */
export function reloadly(by: {
  readonly refusalUsesIdentifier: boolean;
  readonly network: 341 | 'by_number';
}): Subject {
  return {
    name: `reloadly, network ${by.network}, a refusal ${by.refusalUsesIdentifier ? 'uses' : 'leaves'} the identifier`,
    billerCode: 'airtime',
    start: async () => {
      let webhookUrl = '';
      const emulator = new ReloadlyEmulator({
        webhookUrl: () => webhookUrl,
        webhookSecret: 'webhook-secret',
        endsAfterMs: 1,
        recordsAfterMs: 0,
        refusalUsesIdentifier: by.refusalUsesIdentifier,
      });
      const gateway = createGateway(emulator, { clientId: 'client', clientSecret: 'secret' });
      return {
        ...(await serve(emulator, gateway.listener, { storedAs: kenyanMobileNumber })),
        connect: (baseUrl, options) => {
          webhookUrl = options.callbackUrl;
          const settings = {
            auth_url: baseUrl,
            audience: 'https://topups.reloadly.com',
            billers: { airtime: { network: by.network } },
            // The suite's time is simulated, the connector's is not.
            settles_after_ms: 0,
          };
          return connectTo(protocol, baseUrl, { ...options, settings, secret: SECRET });
        },
        isInstruction: (method, path) => method === 'POST' && path === '/topups',
        accountFor: accountsBy(SUFFIXES, (number, suffix) => `071${100 + number}${suffix}`),
        expireTokens: () => gateway.expireTokens(),
        limitRate: (requests) => gateway.limitRate(requests),
        skewClock: (byMs) => emulator.skewClock(byMs),
      };
    },
  };
}
