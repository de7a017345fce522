import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { http } from '../../../src/payments/connectors/http/protocol.ts';
import { parseMoney } from '../../../src/platform/base/money.ts';
import { VtpassEmulator } from '../../../sandbox/providers/vtpass/emulator.ts';
import type { Scenario, Subject } from '../subject.ts';

const SUFFIXES: Readonly<Record<Scenario, string>> = {
  paid: '9901',
  declined: '9902',
  paid_later: '9905',
  declined_later: '9924',
  callback_repeated: '9906',
  callback_missing: '9901',
  never_told: '9909',
  other_amount: '9914',
  reversed: '9915',
};

const SECRET = JSON.stringify({ api_key: 'a', secret_key: 's', public_key: 'p' });

export const VTPASS_SETTINGS = JSON.parse(
  readFileSync(new URL('../../../sandbox/providers/vtpass/config.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, unknown>>;

/** The connector that is all configuration, with the configuration of VTpass. */
export const vtpass: Subject = {
  name: 'http, as VTpass',
  billerCode: 'kplc_prepaid',
  start: async () => {
    let webhookUrl = '';
    const emulator = new VtpassEmulator({
      apiKey: 'a',
      webhookUrl: () => webhookUrl,
      deliverAfterMs: 1,
    });
    const server = createServer(emulator.listener);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    let accounts = 0;
    return {
      port: (server.address() as AddressInfo).port,
      connect: (baseUrl, { callbackUrl, payTimeoutMs }) => {
        webhookUrl = callbackUrl;
        const timeouts = { pay_timeout_ms: payTimeoutMs, status_timeout_ms: payTimeoutMs };
        return http.create(
          {
            operatorCode: 'vtpass',
            name: 'VTpass',
            connector: 'http',
            baseUrl,
            settings: { ...VTPASS_SETTINGS, ...timeouts },
            maxConcurrency: 8,
            maxPerSecond: null,
            secrets: [{ secret: SECRET, validUntil: null }],
            secret: SECRET,
          },
          callbackUrl,
        );
      },
      isInstruction: (_method, path) => path === '/api/pay',
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
