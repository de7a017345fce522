import { afterEach, expect, test } from 'vitest';
import type { Connector, Protocol } from '../../src/connectors/operator.ts';
import { darajaB2b } from '../../src/connectors/operators/daraja-b2b/protocol.ts';
import { http } from '../../src/connectors/operators/http/protocol.ts';
import { createDarajaSource } from '../../src/connectors/sources/daraja/source.ts';
import { connectTo } from '../conformance/subjects/emulated.ts';
import { MTN_MOMO_SECRET, MTN_MOMO_SETTINGS } from '../conformance/subjects/mtn-momo.ts';
import { VTPASS_SETTINGS } from '../conformance/subjects/vtpass.ts';
import { startRecordingServer } from '../support/recording-server.ts';
import type { Recorded } from '../support/recording-server.ts';
import { DARAJA, MOMO_TRANSFERS, VTPASS } from './requests.ts';
import type { SentRequest } from './requests.ts';

// Our connectors send what public clients send: the same paths, headers and names of fields.

const { signal } = new AbortController();
const CALLBACKS = 'https://m.example/callbacks/op';
const TOKEN = { access_token: 'T', expires_in: '3599' };
const INSTRUCTION = {
  reference: '06F3Z1G5B8M2Q7T4W9Y0K3N6R1V5X8C2',
  attemptNumber: 1,
  billerCode: 'bills',
  account: '254700000001',
  phone: '254700000001',
  amountCents: 500_00n,
  operatorHandle: null,
};
const HANDLE = '12d59716-4e11-4aef-922a-cd4cfeaec48c';

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

async function sentBy(
  protocol: Protocol,
  by: { readonly settings: object; readonly secret: object },
  calls: (connector: Connector) => Promise<unknown>,
): Promise<readonly Recorded[]> {
  const server = await startRecordingServer((line) =>
    /oauth|token/.test(line)
      ? TOKEN
      : { ConversationID: 'AG_1', ResponseCode: '0', ResponseDescription: 'Accepted' },
  );
  const connector = connectTo(protocol, server.origin, {
    callbackUrl: CALLBACKS,
    payTimeoutMs: 2_000,
    ...by,
  });
  open.push(connector, server);
  await calls(connector);
  return server.requests;
}

/** What a client has that ours lacks, in its requests to paths that we ask, too. */
function lacking(
  ours: readonly Recorded[],
  clients: readonly SentRequest[],
): Readonly<Record<string, readonly string[]>> {
  const compared = clients.flatMap((theirs) => {
    const same = ours.find(({ line }) => line === theirs.line);
    if (same === undefined) return [];
    const body = JSON.parse(same.body || '{}') as object;
    const names = Object.keys(theirs.body ?? {}).filter((name) => !Object.hasOwn(body, name));
    const headers = Object.keys(theirs.headers)
      .filter((name) => same.headers[name] === undefined)
      // Of a request without a body.
      .filter((name) => name !== 'content-type' || same.body !== '');
    return [[`${theirs.client} ${theirs.does}`, [...headers, ...names]] as const];
  });
  return Object.fromEntries(compared);
}

/** Every client’s request to these paths, without a difference but the named ones. */
const nothing = (
  clients: readonly SentRequest[],
  differences: Readonly<Record<string, readonly string[]>> = {},
) =>
  Object.fromEntries(
    clients.map(({ client, does }) => [`${client} ${does}`, differences[does] ?? []]),
  );

const to = (clients: readonly SentRequest[], ...paths: readonly string[]) =>
  clients.filter(({ line }) => paths.some((path) => line.endsWith(path) || line.includes(path)));

test('Daraja gets the fields of public clients from the connector that pays', async () => {
  const settings = { short_code: '600100', initiator: 'apiop01' };
  const requests = await sentBy(
    darajaB2b,
    {
      settings: { ...settings, billers: { bills: { pay_bill: '600200' } } },
      secret: {
        consumer_key: 'key',
        consumer_secret: 'secret',
        security_credential: 'A'.repeat(344),
      },
    },
    async (connector) => {
      await connector.pay(INSTRUCTION, signal);
      await connector.status?.({ ...INSTRUCTION, operatorHandle: 'AG_1' }, signal);
      await connector.balance?.(signal);
    },
  );
  const clients = to(DARAJA, '/oauth/', '/b2b/', '/transactionstatus/', '/accountbalance/');
  expect(lacking(requests, clients)).toEqual(
    nothing(clients, {
      // Ours asks by the id of the conversation until a Result has named the receipt.
      'asks about a payment by its receipt': ['TransactionID'],
    }),
  );
});

test('Daraja gets the fields of public clients from the source of receipts', async () => {
  const server = await startRecordingServer((line) =>
    line.includes('/oauth/') ? TOKEN : { ResponseCode: '0', CheckoutRequestID: 'ws_CO_1' },
  );
  const source = createDarajaSource({
    sourceCode: 'till',
    settings: {
      base_url: server.origin,
      short_code: '600200',
      nominated_number: '254700000001',
      unreachable: 'Cancelled',
      register_version: 'v1',
    },
    secret: JSON.stringify({ consumer_key: 'key', consumer_secret: 'secret', passkey: 'pass' }),
    pathSecrets: [{ secret: 'paths', validUntil: null }],
    callbackUrl: 'https://m.example/receipts/till',
  });
  open.push(source, server);
  await source.register(signal);
  await source.sendPush?.({ phone: '254700000001', amountCents: 500_00n, account: 'V001' }, signal);
  await source.queryPush?.('ws_CO_1', signal);
  const clients = to(DARAJA, '/oauth/', '/registerurl', '/stkpush/', '/stkpushquery/');
  expect(lacking(server.requests, clients)).toEqual(nothing(clients));
});

test('VTpass gets the fields of a public client, by configuration', async () => {
  const requests = await sentBy(
    http,
    {
      settings: {
        ...VTPASS_SETTINGS,
        billers: { bills: { id: 'example-electric', variation: 'prepaid' } },
      },
      secret: { api_key: 'a', secret_key: 's', public_key: 'p' },
    },
    async (connector) => {
      await connector.validate?.(INSTRUCTION, signal);
      await connector.pay({ ...INSTRUCTION, operatorHandle: '202601051015a' }, signal);
    },
  );
  expect(lacking(requests, VTPASS)).toEqual(nothing(VTPASS));
});

test('MTN MoMo gets the fields of a public client, by configuration', async () => {
  const requests = await sentBy(
    http,
    {
      settings: { ...MTN_MOMO_SETTINGS, billers: { bills: { currency: 'KES' } } },
      secret: MTN_MOMO_SECRET,
    },
    async (connector) => {
      await connector.pay({ ...INSTRUCTION, operatorHandle: HANDLE }, signal);
      await connector.status?.({ ...INSTRUCTION, operatorHandle: HANDLE }, signal);
    },
  );
  expect(lacking(requests, MOMO_TRANSFERS)).toEqual(
    // By the documents, a token is for every environment.
    nothing(MOMO_TRANSFERS, { 'asks for a token': ['x-target-environment'] }),
  );
});
