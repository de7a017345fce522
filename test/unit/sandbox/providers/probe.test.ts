import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PROVIDER_OPERATORS, operatorChangeOf } from '../../../../sandbox/provider-operators.ts';
import type { PayingProvider } from '../../../../sandbox/provider-operators.ts';
import { openProviders } from '../../../../sandbox/providers/providers.ts';
import { providerSecrets } from '../../../../sandbox/providers/secrets.ts';
import type { ProviderSecrets } from '../../../../sandbox/providers/secrets.ts';
import { probe } from '../../../../src/connectors/probe.ts';
import { createConnector } from '../../../../src/connectors/registry.ts';
import { makeTemporaryFolder, removeFolder } from '../../../support/temporary.ts';

// What `malipo operator test` asks, and lists for the provider's own sandbox, with every operator that
// `npm start -- --providers` registers.

/** They know a payment only by an id in their own answer to it, and have no other question. */
const CANNOT_BE_ASKED: ReadonlySet<PayingProvider> = new Set(['jambopay', 'kopokopo']);

/** These answer only about an account. */
const ACCOUNTS: Partial<Record<PayingProvider, { billerCode: string; account: string }>> = {
  flutterwave: { billerCode: 'tv_bills', account: '20080001' },
};

let folder: string;
let server: Server;
let secrets: ProviderSecrets;

beforeAll(async () => {
  folder = await makeTemporaryFolder();
  const callbackBase = 'http://127.0.0.1:9/callbacks';
  const delays = { callbackDelayMs: 4, slowMs: 1_000 };
  server = createServer(openProviders({ dataDir: folder, callbackBase, ...delays }));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  secrets = providerSecrets(folder);
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await removeFolder(folder);
});

test.each(Object.keys(PROVIDER_OPERATORS) as PayingProvider[])(
  '%s answers whatever can be asked without a payment, and has a list to try in its own sandbox',
  async (code) => {
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const operator = {
      ...operatorChangeOf(code, origin, secrets),
      ...{ operatorCode: code, maxConcurrency: 8, maxPerSecond: null },
      secrets: [{ secret: JSON.stringify(secrets[code]), validUntil: null }],
    };
    const connector = createConnector(operator, `${origin}/callbacks/${code}`);
    const findings = await probe(connector, ACCOUNTS[code] ?? { billerCode: null, account: null });
    await connector.close();
    const [access] = findings;
    expect(access, JSON.stringify(findings)).toMatchObject({
      question: 'address and credentials',
      isEstablished: !CANNOT_BE_ASKED.has(code),
    });
    const { toTry, proofOfNonExecution, notProof } = connector.declaration;
    for (const list of [toTry, proofOfNonExecution, notProof]) {
      expect(list.length).toBeGreaterThan(1);
    }
  },
);
