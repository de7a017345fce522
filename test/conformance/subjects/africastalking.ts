import { africastalking as protocol } from '../../../src/connectors/operators/africastalking/protocol.ts';
import { kenyanMobileNumber } from '../../../src/platform/base/mobile-number.ts';
import { AfricastalkingEmulator } from '../../../sandbox/providers/africastalking/emulator.ts';
import type { Subject } from '../subject.ts';
import { accountsBy, connectTo, serve, SUFFIXES } from './emulated.ts';

/** The provider reverses nothing, and people decide about another amount: see its unit tests. */
const AIRTIME_SUFFIXES = { ...SUFFIXES, other_amount: null, reversed: null };
const SECRET = { api_key: 'key' };

export function africastalking(by: { readonly wrapsFound: boolean }): Subject {
  return {
    name: `africastalking, the query’s answer ${by.wrapsFound ? 'wraps' : 'is'} the transaction`,
    billerCode: 'airtime',
    start: async () => {
      let callbackUrl = '';
      const emulator = new AfricastalkingEmulator({
        apiKey: 'key',
        callbackUrl: () => callbackUrl,
        deliverAfterMs: 1,
        ...by,
      });
      const settings = { username: 'sandbox', billers: ['airtime'] };
      return {
        ...(await serve(emulator, emulator.listener, { storedAs: kenyanMobileNumber })),
        connect: (baseUrl, options) => {
          ({ callbackUrl } = options);
          return connectTo(protocol, baseUrl, { ...options, settings, secret: SECRET });
        },
        isInstruction: (_method, path) => path === '/version1/airtime/send',
        accountFor: accountsBy(AIRTIME_SUFFIXES, (number, suffix) => `071${100 + number}${suffix}`),
        expireTokens: null,
        limitRate: (requests) => emulator.limitRate(requests),
        skewClock: (byMs) => emulator.skewClock(byMs),
      };
    },
  };
}
