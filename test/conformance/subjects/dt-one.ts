import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dtOne as protocol } from '../../../src/payments/connectors/dt-one/protocol.ts';
import { parseMoney } from '../../../src/platform/base/money.ts';
import { DtOneEmulator } from '../../../sandbox/providers/dt-one/emulator.ts';
import { createGateway } from '../../../sandbox/providers/dt-one/listener.ts';
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

const SECRET = JSON.stringify({ api_key: 'key', api_secret: 'secret' });

/** @param ways of paying, and how late a look-up by external_id shows a transaction. */
export function dtOne(ways: {
  readonly mode: 'async' | 'sync';
  readonly confirm: 'two_step' | 'at_once';
  readonly lateLookups: number;
  readonly windowMs?: number;
}): Subject {
  const { mode, confirm, lateLookups, windowMs } = ways;
  return {
    name: `dt-one, ${mode}, ${confirm}, ${lateLookups} late look-ups, window ${windowMs ?? 'none'}`,
    billerCode: 'kplc_prepaid',
    start: async () => {
      const emulator = new DtOneEmulator({
        apiKey: 'key',
        apiSecret: 'secret',
        speed: 0.01,
        lateLookups,
      });
      const gateway = createGateway(emulator);
      const server = createServer(gateway.listener);
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      let accounts = 0;
      return {
        port: (server.address() as AddressInfo).port,
        connect: (baseUrl, { callbackUrl, payTimeoutMs }) =>
          protocol.create(
            {
              operatorCode: 'dtone',
              name: 'DT One',
              connector: 'dt-one',
              baseUrl,
              settings: {
                billers: { kplc_prepaid: { product_id: 1001 } },
                mode,
                confirm,
                ...(windowMs !== undefined && { acceptance_window_ms: windowMs }),
                pay_timeout_ms: payTimeoutMs,
                status_timeout_ms: payTimeoutMs,
              },
              maxConcurrency: 8,
              maxPerSecond: null,
              secrets: [{ secret: SECRET, validUntil: null }],
              secret: SECRET,
            },
            callbackUrl,
          ),
        isInstruction: (method, path) =>
          method === 'POST' &&
          (confirm === 'two_step' ? path.endsWith('/confirm') : path.endsWith('/transactions')),
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
        expireTokens: null,
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
