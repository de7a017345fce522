import { AirtelEmulator } from '../../../sandbox/providers/airtel/emulator.ts';
import type { AirtelOptions } from '../../../sandbox/providers/airtel/emulator.ts';
import { createGateway } from '../../../sandbox/providers/airtel/listener.ts';
import { http } from '../../../src/connectors/operators/http/protocol.ts';
import type { Subject } from '../subject.ts';
import { accountsBy, connectTo, serve, settingsOf, SUFFIXES } from './emulated.ts';

const AIRTEL_SETTINGS = settingsOf('airtel');
const APPLICATION = { clientId: 'client', clientSecret: 'secret', pin: '1234' };
const SECRET = { client_id: 'client', client_secret: 'secret', pin: '1234' };

/** What is not established of the real provider. */
interface Unestablished extends Pick<AirtelOptions, 'usedId' | 'lateLookups'> {
  readonly callsBack: boolean;
}

/** The connector that is all configuration, with the configuration of Airtel Money. */
export function airtel({ callsBack, ...answers }: Unestablished): Subject {
  return {
    name: `http, as Airtel Money${callsBack ? ' with' : ' without'} callbacks, ${answers.usedId} for a used id, found after ${answers.lateLookups} enquiries`,
    billerCode: 'airtel_money',
    start: async () => {
      let callbackUrl = '';
      const emulator = new AirtelEmulator({
        endsAfterMs: 1,
        ...answers,
        ...(callsBack && { callbackUrl: () => callbackUrl }),
      });
      const gateway = createGateway(emulator, APPLICATION);
      const { encrypted } = AIRTEL_SETTINGS as { readonly encrypted: { readonly pin: object } };
      const key = `-----BEGIN PUBLIC KEY-----\n${gateway.publicKey}\n-----END PUBLIC KEY-----`;
      const settings = {
        ...AIRTEL_SETTINGS,
        encrypted: { pin: { ...encrypted.pin, public_key: key } },
      };
      return {
        ...(await serve(emulator, gateway.listener, { storedAs: (account) => account.slice(3) })),
        connect: (baseUrl, options) => {
          ({ callbackUrl } = options);
          return connectTo(http, baseUrl, { ...options, settings, secret: SECRET });
        },
        isInstruction: (method, path) =>
          method === 'POST' && path.startsWith('/standard/v2/disbursements'),
        accountFor: accountsBy(
          { ...SUFFIXES, other_amount: null, reversed: null },
          (number, suffix) => `254${73_000 + number}${suffix}`,
        ),
        expireTokens: () => gateway.expireTokens(),
        limitRate: (requests) => gateway.limitRate(requests),
        skewClock: null,
      };
    },
  };
}
