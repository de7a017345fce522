import { FlutterwaveEmulator } from '../../../sandbox/providers/flutterwave/emulator.ts';
import type { FlutterwaveOptions } from '../../../sandbox/providers/flutterwave/emulator.ts';
import { http } from '../../../src/connectors/operators/http/protocol.ts';
import type { Subject } from '../subject.ts';
import { accountsBy, connectTo, serve, settingsOf, SUFFIXES } from './emulated.ts';

const SETTINGS = settingsOf('flutterwave');
const SECRET = { secret_key: 'FLWSECK-TEST', secret_hash: 'hash' };

/** What is not established of the real provider. */
type Unestablished = Pick<FlutterwaveOptions, 'statusBy' | 'finds' | 'usedReference'>;

/** The connector that is all configuration, with the configuration of Flutterwave. */
export function flutterwave(answers: Unestablished, billerCode = 'dstv'): Subject {
  const { statusBy, finds, usedReference } = answers;
  return {
    name: `http, as Flutterwave: ${billerCode}, status by ${statusBy} finds ${finds}, a used reference is ${usedReference}`,
    billerCode,
    needsCallback: true,
    start: async () => {
      let webhookUrl = '';
      const emulator = new FlutterwaveEmulator({
        ...{ secretKey: SECRET.secret_key, secretHash: SECRET.secret_hash, endsAfterMs: 1 },
        webhookUrl: () => webhookUrl,
        ...answers,
      });
      const settings = { ...SETTINGS, constants: { country: 'KE', status_by: statusBy } };
      return {
        ...(await serve(emulator, emulator.listener)),
        connect: (baseUrl, options) => {
          webhookUrl = options.callbackUrl;
          return connectTo(http, `${baseUrl}/v3`, { ...options, settings, secret: SECRET });
        },
        isInstruction: (method, path) => method === 'POST' && path.endsWith('/payment'),
        // A webhook alone proves no failure, and a status query says nothing of one.
        accountFor: accountsBy({
          ...SUFFIXES,
          ...{ declined_later: null, other_amount: null, reversed: null },
        }),
        expireTokens: null,
        limitRate: (requests) => emulator.limitRate(requests),
        skewClock: null,
      };
    },
  };
}
