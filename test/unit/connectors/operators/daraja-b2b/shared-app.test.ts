import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { DarajaEmulator } from '../../../../../sandbox/providers/daraja/emulator.ts';
import { createGateway } from '../../../../../sandbox/providers/daraja/listener.ts';
import { darajaB2b } from '../../../../../src/connectors/operators/daraja-b2b/protocol.ts';

const CREDENTIAL = Buffer.alloc(256, 1).toString('base64');
const SECRET = JSON.stringify({
  consumer_key: 'key',
  consumer_secret: 'secret',
  security_credential: CREDENTIAL,
});

// Two processes with one Daraja app invalidate each other’s tokens: a new token replaces the previous one.
test('two processes with one app pay nothing twice, and do not flood the gateway with tokens', async () => {
  const emulator = new DarajaEmulator({
    resultAfterMs: 1,
    unknownId: 'silence',
    originalId: 'originator',
    acceptsCredential: (credential) => credential === CREDENTIAL,
  });
  const gateway = createGateway(emulator, { consumerKey: 'key', consumerSecret: 'secret' });
  let tokens = 0;
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/oauth/') === true) tokens += 1;
    gateway.listener(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const connect = (operatorCode: string) =>
    darajaB2b.create(
      {
        operatorCode,
        connector: 'daraja-b2b',
        baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        settings: {
          short_code: '600100',
          initiator: 'apiop01',
          billers: { water: { pay_bill: '600200' } },
          pay_timeout_ms: 500,
        },
        maxConcurrency: 8,
        secrets: [{ secret: SECRET, validUntil: null }],
        secret: SECRET,
      },
      'http://127.0.0.1:9/callbacks/water',
    );
  const processes = [connect('one'), connect('two')];
  const signal = new AbortController().signal;
  const outcomes = await Promise.all(
    Array.from({ length: 120 }, async (_, number) => {
      const connector = processes[number % 2];
      if (connector === undefined) throw new Error('no connector');
      const account = `${10_000 + number}9901`;
      const outcome = await connector.pay(
        {
          reference: `R${number}`,
          attemptNumber: 1,
          billerCode: 'water',
          account,
          phone: null,
          amountCents: 100_00n,
          operatorHandle: null,
        },
        signal,
      );
      return { account, outcome };
    }),
  );
  await emulator.later.quiet();
  const paid = emulator.truth().map(({ account }) => account);
  expect(new Set(paid).size).toBe(paid.length);
  // A refusal because of the token proves that the instruction was not executed.
  for (const { account, outcome } of outcomes) {
    if (outcome.kind === 'unknown') continue;
    expect(outcome).toMatchObject({ kind: 'not_sent' });
    expect(paid).not.toContain(account);
  }
  expect(tokens).toBeLessThanOrEqual(2 * 20);
  await Promise.all(processes.map(async (connector) => await connector.close()));
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});
