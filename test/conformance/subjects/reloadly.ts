import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { reloadly as protocol } from '../../../src/payments/connectors/reloadly/protocol.ts';
import { kenyanMobileNumber } from '../../../src/platform/base/mobile-number.ts';
import { parseMoney } from '../../../src/platform/base/money.ts';
import { ReloadlyEmulator } from '../../../sandbox/providers/reloadly/emulator.ts';
import { createGateway } from '../../../sandbox/providers/reloadly/listener.ts';
import type { Scenario, Subject } from '../subject.ts';

const SUFFIXES: Readonly<Record<Scenario, string>> = {
  paid: '9901',
  declined: '9902',
  paid_later: '9905',
  declined_later: '9924',
  callback_repeated: '9906',
  callback_missing: '9911',
  never_told: '9909',
  other_amount: '9914',
  reversed: '9915',
};

export const SECRET = JSON.stringify({
  client_id: 'client',
  client_secret: 'secret',
  webhook_secret: 'webhook-secret',
});

/** @param refusalUsesIdentifier what the emulator does; not established for the real one. */
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
      const server = createServer(gateway.listener);
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      let accounts = 0;
      return {
        port: (server.address() as AddressInfo).port,
        connect: (baseUrl, { callbackUrl, payTimeoutMs }) => {
          webhookUrl = callbackUrl;
          return protocol.create(
            {
              operatorCode: 'reloadly',
              name: 'Reloadly',
              connector: 'reloadly',
              baseUrl,
              settings: {
                auth_url: baseUrl,
                audience: 'https://topups.reloadly.com',
                billers: { airtime: { network: by.network } },
                pay_timeout_ms: payTimeoutMs,
                status_timeout_ms: payTimeoutMs,
                // The suite's time is simulated, the connector's is not.
                settles_after_ms: 0,
              },
              maxConcurrency: 8,
              maxPerSecond: null,
              secrets: [{ secret: SECRET, validUntil: null }],
              secret: SECRET,
            },
            callbackUrl,
          );
        },
        isInstruction: (method, path) => method === 'POST' && path === '/topups',
        accountFor: (scenario) => {
          accounts += 1;
          return `071${100 + accounts}${SUFFIXES[scenario]}`;
        },
        accountForPartRefund: null,
        executed: async (account) =>
          emulator
            .truth()
            .filter((entry) => entry.account === kenyanMobileNumber(account))
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
