import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { jambopay as protocol } from '../../../src/payments/connectors/jambopay/protocol.ts';
import { parseMoney } from '../../../src/platform/base/money.ts';
import { JambopayEmulator } from '../../../sandbox/providers/jambopay/emulator.ts';
import type { JambopayOptions } from '../../../sandbox/providers/jambopay/emulator.ts';
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

const SECRET = JSON.stringify({ username: 'agent', password: 'pass', app_key: 'key' });
const PAY_TIMEOUT_MS = 100;

/** With both ways in which the provider may behave where its documentation is silent. */
export function jambopay(switches: Pick<JambopayOptions, 'errors' | 'secondCommit'>): Subject {
  return {
    name: `jambopay, errors as ${switches.errors}, second commit ${switches.secondCommit}`,
    billerCode: 'kplc_prepaid',
    start: async () => {
      const emulator = new JambopayEmulator({
        username: 'agent',
        password: 'pass',
        appKey: 'key',
        callbackAfterMs: 1,
        ...switches,
      });
      const server = createServer(emulator.listener);
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      let accounts = 0;
      return {
        port: (server.address() as AddressInfo).port,
        connect: (baseUrl, { callbackUrl }) =>
          protocol.create(
            {
              operatorCode: 'jambo',
              name: 'JamboPay',
              connector: 'jambopay',
              baseUrl,
              settings: {
                billers: { kplc_prepaid: { stream: 'kplc' } },
                phone_number: '254700000001',
                ...(switches.errors === 'code_field' && { code_field: 'ErrorCode' }),
                pay_timeout_ms: PAY_TIMEOUT_MS,
              },
              maxConcurrency: 8,
              maxPerSecond: null,
              secrets: [{ secret: SECRET, validUntil: null }],
              secret: SECRET,
            },
            callbackUrl,
          ),
        isInstruction: (method, path) => method === 'PUT' && path === '/api/payments/PUT',
        accountFor: (scenario) => {
          accounts += 1;
          return `0${10_000 + accounts}${SUFFIXES[scenario]}`;
        },
        accountForPartRefund: () => {
          accounts += 1;
          return `0${10_000 + accounts}9921`;
        },
        executed: async (account) =>
          emulator
            .truth()
            .filter((entry) => entry.account === account)
            .map((entry) => ({ amountCents: parseMoney(entry.amount) })),
        // "Completed" by callback waits for the answer to the commit, on the real clock.
        quiet: async () => {
          await emulator.later.quiet();
          await pause(PAY_TIMEOUT_MS / 4);
        },
        expireTokens: () => emulator.expireTokens(),
        limitRate: (requests) => emulator.limitRate(requests),
        skewClock: null,
        close: async () => {
          server.closeAllConnections();
          server.close();
          await once(server, 'close');
        },
      };
    },
  };
}
