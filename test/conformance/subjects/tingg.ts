import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tingg as protocol } from '../../../src/payments/connectors/tingg/protocol.ts';
import { parseMoney } from '../../../src/platform/base/money.ts';
import { TinggEmulator } from '../../../sandbox/providers/tingg/emulator.ts';
import type { Scenario, Subject } from '../subject.ts';

/** No other amounts, and nothing is taken back: neither is documented. */
const SUFFIXES: Readonly<Partial<Record<Scenario, string>>> = {
  paid: '9901',
  declined: '9902',
  paid_later: '9905',
  declined_later: '9924',
  callback_repeated: '9906',
  callback_missing: '9911',
  never_told: '9909',
};

const SECRET = JSON.stringify({ username: 'user', password: 'pass' });

/** @param by what is not established for the real one, and whether not found is proof. */
export function tingg(by: {
  readonly usedId: 'refused' | 'executes';
  readonly acceptanceWindowMs: number | null;
}): Subject {
  return {
    name: `tingg, a used id ${by.usedId}, not found is ${by.acceptanceWindowMs === null ? 'no ' : ''}proof`,
    billerCode: 'kplc_prepaid',
    start: async () => {
      const emulator = new TinggEmulator({
        username: 'user',
        password: 'pass',
        endsAfterMs: 1,
        usedId: by.usedId,
      });
      const server = createServer(emulator.listener);
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      let accounts = 0;
      return {
        port: (server.address() as AddressInfo).port,
        connect: (baseUrl, options) => {
          return protocol.create(
            {
              operatorCode: 'bills',
              name: 'Bills',
              connector: 'tingg',
              baseUrl,
              settings: {
                billers: { kplc_prepaid: { service_code: 'KPLC-PRE' } },
                phone_number: '254700000001',
                acceptance_window_ms: by.acceptanceWindowMs,
                pay_timeout_ms: options.payTimeoutMs,
                status_timeout_ms: options.payTimeoutMs,
              },
              maxConcurrency: 8,
              maxPerSecond: null,
              secrets: [{ secret: SECRET, validUntil: null }],
              secret: SECRET,
            },
            options.callbackUrl,
          );
        },
        isInstruction: (_method, _path, body) => body.includes('BEEP.postPayment'),
        accountFor: (scenario) => {
          const suffix = SUFFIXES[scenario];
          accounts += 1;
          return suffix === undefined ? null : `${10_000 + accounts}${suffix}`;
        },
        accountForPartRefund: null,
        executed: async (account) =>
          emulator
            .truth()
            .filter((entry) => entry.account === account)
            .map((entry) => ({ amountCents: parseMoney(entry.amount) })),
        quiet: async () => await emulator.later.quiet(),
        expireTokens: null,
        limitRate: null,
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
