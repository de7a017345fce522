import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { africastalking as protocol } from '../../../src/payments/connectors/africastalking/protocol.ts';
import { kenyanMobileNumber } from '../../../src/platform/base/mobile-number.ts';
import { parseMoney } from '../../../src/platform/base/money.ts';
import { AfricastalkingEmulator } from '../../../sandbox/providers/africastalking/emulator.ts';
import type { Scenario, Subject } from '../subject.ts';

/** Nothing is taken back, and another amount is left to people: see its unit tests. */
const SUFFIXES: Readonly<Partial<Record<Scenario, string>>> = {
  paid: '9901',
  declined: '9902',
  paid_later: '9905',
  declined_later: '9924',
  callback_repeated: '9906',
  callback_missing: '9911',
  never_told: '9909',
};

const SECRET = JSON.stringify({ api_key: 'key' });

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
      const server = createServer(emulator.listener);
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      let accounts = 0;
      return {
        port: (server.address() as AddressInfo).port,
        connect: (baseUrl, options) => {
          callbackUrl = options.callbackUrl;
          return protocol.create(
            {
              operatorCode: 'airtime',
              name: 'Airtime',
              connector: 'africastalking',
              baseUrl,
              settings: {
                username: 'sandbox',
                billers: ['airtime'],
                pay_timeout_ms: options.payTimeoutMs,
                status_timeout_ms: options.payTimeoutMs,
              },
              maxConcurrency: 8,
              maxPerSecond: null,
              secrets: [{ secret: SECRET, validUntil: null }],
              secret: SECRET,
            },
            callbackUrl,
          );
        },
        isInstruction: (_method, path) => path === '/version1/airtime/send',
        accountFor: (scenario) => {
          const suffix = SUFFIXES[scenario];
          accounts += 1;
          return suffix === undefined ? null : `071${100 + accounts}${suffix}`;
        },
        accountForPartRefund: null,
        executed: async (account) =>
          emulator
            .truth()
            .filter((entry) => entry.account === kenyanMobileNumber(account))
            .map((entry) => ({ amountCents: parseMoney(entry.amount) })),
        quiet: async () => await emulator.later.quiet(),
        expireTokens: null,
        limitRate: (requests) => emulator.limitRate(requests),
        skewClock: (byMs) => emulator.skewClock(byMs),
        close: async () => {
          server.closeAllConnections();
          server.close();
          await once(server, 'close');
        },
      };
    },
  };
}
