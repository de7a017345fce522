import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { darajaB2b as protocol } from '../../../src/payments/connectors/daraja-b2b/protocol.ts';
import { parseMoney } from '../../../src/platform/base/money.ts';
import { DarajaEmulator } from '../../../sandbox/providers/daraja/emulator.ts';
import type { DarajaOptions } from '../../../sandbox/providers/daraja/emulator.ts';
import { createGateway } from '../../../sandbox/providers/daraja/listener.ts';
import type { Scenario, Subject } from '../subject.ts';

const SUFFIXES: Readonly<Record<Scenario, string>> = {
  paid: '9901',
  declined: '9902',
  paid_later: '9913',
  declined_later: '9924',
  callback_repeated: '9906',
  callback_missing: '9911',
  never_told: '9909',
  other_amount: '9914',
  reversed: '9915',
};

const SECRET = {
  consumer_key: 'key',
  consumer_secret: 'secret',
  security_credential: Buffer.alloc(256, 1).toString('base64'),
};

/** @param unknownId what the emulator answers about an id that it does not know. */
export function darajaB2b(unknownId: DarajaOptions['unknownId']): Subject {
  return {
    name: `daraja-b2b, ${unknownId} about an unknown id`,
    billerCode: 'nairobi_water',
    start: async () => {
      const emulator = new DarajaEmulator({
        resultAfterMs: 1,
        unknownId,
        acceptsCredential: (credential) => credential === SECRET.security_credential,
      });
      const gateway = createGateway(emulator, { consumerKey: 'key', consumerSecret: 'secret' });
      const server = createServer(gateway.listener);
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      let accounts = 0;
      return {
        port: (server.address() as AddressInfo).port,
        connect: (baseUrl, { callbackUrl, payTimeoutMs }) => {
          const secret = JSON.stringify(SECRET);
          return protocol.create(
            {
              operatorCode: 'paybills',
              name: 'Pay bills',
              connector: 'daraja-b2b',
              baseUrl,
              settings: {
                short_code: '600100',
                initiator: 'apiop01',
                billers: { nairobi_water: { pay_bill: '600200' } },
                pay_timeout_ms: payTimeoutMs,
                status_timeout_ms: payTimeoutMs,
              },
              maxConcurrency: 8,
              maxPerSecond: null,
              secrets: [{ secret, validUntil: null }],
              secret,
            },
            callbackUrl,
          );
        },
        isInstruction: (_method, path) => path === '/mpesa/b2b/v1/paymentrequest',
        accountFor: (scenario) => {
          accounts += 1;
          return `${10_000 + accounts}${SUFFIXES[scenario]}`;
        },
        accountForPartRefund: null,
        executed: async (account) =>
          emulator
            .truth()
            .filter((entry) => entry.account === account)
            .map((entry) => ({ amountCents: parseMoney(entry.amount) })),
        quiet: async () => await emulator.later.quiet(),
        expireTokens: () => gateway.expireTokens(),
        limitRate: (requests) => gateway.limitRate(requests),
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
