import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Protocol, Connector } from '../../../src/connectors/operator.ts';
import { parseMoney } from '../../../src/platform/base/money.ts';
import type { ConnectOptions, Provider, Scenario } from '../subject.ts';

/** The last four digits of accounts by which most emulators decide. */
export const SUFFIXES: Readonly<Record<Scenario, string>> = {
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

/** The settings file that is shipped with an emulator, for the connector `http`. */
export function settingsOf(folder: string): Readonly<Record<string, unknown>> {
  const file = new URL(`../../../sandbox/providers/${folder}/config.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, unknown>>;
}

/** What subjects need from an emulator. */
export interface Emulated {
  readonly later: { quiet(): Promise<void> };
  truth(): readonly { readonly account: string; readonly amount: string }[];
}

/** Serves an emulator on a free port. Its own record says what was executed. */
export async function serve(
  emulator: Emulated,
  listener: RequestListener,
  { storedAs = (account: string): string | undefined => account } = {},
): Promise<
  Pick<
    Provider,
    'port' | 'accountForPartRefund' | 'accountForLateDetails' | 'executed' | 'quiet' | 'close'
  >
> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    accountForPartRefund: null,
    accountForLateDetails: null,
    executed: async (account) =>
      emulator
        .truth()
        .filter((entry) => entry.account === storedAs(account))
        .map((entry) => ({ amountCents: parseMoney(entry.amount) })),
    quiet: async () => await emulator.later.quiet(),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A fresh account for each call: a number, and the suffix that decides. */
export function accountsBy(
  suffixes: Readonly<Record<Scenario, string | null>>,
  accountOf = (number: number, suffix: string) => `${10_000 + number}${suffix}`,
): Provider['accountFor'] {
  let accounts = 0;
  return (scenario) => {
    const suffix = suffixes[scenario];
    accounts += 1;
    return suffix === null ? null : accountOf(accounts, suffix);
  };
}

/** The connector of an operator with these settings; the timeouts are the suite’s unless it has its own. */
export function connectTo(
  protocol: Protocol,
  baseUrl: string,
  by: ConnectOptions & { readonly settings: object; readonly secret: object },
): Connector {
  const secret = JSON.stringify(by.secret);
  const timeouts = { pay_timeout_ms: by.payTimeoutMs, status_timeout_ms: by.payTimeoutMs };
  const operator = {
    operatorCode: 'operator',
    name: 'Operator',
    connector: 'any',
    baseUrl,
    settings: { ...timeouts, ...by.settings },
    maxConcurrency: 8,
    maxPerSecond: null,
    secrets: [{ secret, validUntil: null }],
    secret,
  };
  return protocol.create(operator, by.callbackUrl);
}
