import { CoopPesalinkEmulator } from '../../../sandbox/providers/coop-pesalink/emulator.ts';
import type { CoopPesalinkOptions } from '../../../sandbox/providers/coop-pesalink/emulator.ts';
import { createGateway } from '../../../sandbox/providers/coop-pesalink/listener.ts';
import { http } from '../../../src/connectors/operators/http/protocol.ts';
import type { Subject } from '../subject.ts';
import { accountsBy, connectTo, serve, settingsOf, SUFFIXES } from './emulated.ts';

const SETTINGS = settingsOf('coop-pesalink');
const SECRET = { consumer_key: 'key', consumer_secret: 'secret' };

/** The connector that is all configuration, with the configuration of PesaLink through Co-operative Bank. */
export function coopPesalink({ inProcess }: Pick<CoopPesalinkOptions, 'inProcess'>): Subject {
  return {
    name: `http, as PesaLink through Co-operative Bank, HTTP ${inProcess} for what is in process`,
    billerCode: 'bank_account',
    start: async () => {
      const emulator = new CoopPesalinkEmulator({ endsAfterMs: 1, inProcess });
      const gateway = createGateway(emulator, { consumerKey: 'key', consumerSecret: 'secret' });
      return {
        ...(await serve(emulator, gateway.listener)),
        connect: (baseUrl, options) =>
          connectTo(http, baseUrl, { ...options, settings: SETTINGS, secret: SECRET }),
        isInstruction: (_method, path) => path.startsWith('/FundsTransfer/'),
        accountFor: accountsBy({ ...SUFFIXES, other_amount: null, reversed: null }),
        expireTokens: () => gateway.expireTokens(),
        limitRate: (requests) => gateway.limitRate(requests),
        skewClock: null,
      };
    },
  };
}
