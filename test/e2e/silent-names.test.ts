import { promises as dns } from 'node:dns';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { setWebhook } from '../../src/payments/events/administer.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { startDnsServer } from '../support/dns-server.ts';
import type { DnsServer } from '../support/dns-server.ts';
import { createServiceDatabase, startInProcess } from '../support/in-process-service.ts';
import type { InProcessService } from '../support/in-process-service.ts';
import { SelfServiceClient } from '../support/self-service-client.ts';
import { startSimulatedOperators } from '../support/simulated-operators.ts';
import type { SimulatedOperators } from '../support/simulated-operators.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import type { VendorClient } from '../support/vendor-client.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';
import type { WebhookReceiver } from '../support/webhook-receiver.ts';

// One vendor's webhook has a name whose DNS server never answers. All other names are looked up meanwhile.

const SILENT = 'silent.example';

let database: TestDatabase;
let names: DnsServer;
let folder: string;
let operators: SimulatedOperators;
let receiver: WebhookReceiver;
let running: InProcessService;

beforeAll(async () => {
  names = await startDnsServer({
    [SILENT]: 'silent',
    'shop.example': '127.0.0.1',
  });
  // The DNS server of the process.
  class Resolver extends dns.Resolver {
    constructor(options?: ConstructorParameters<typeof dns.Resolver>[0]) {
      super(options);
      this.setServers([names.address]);
    }
  }
  vi.spyOn(dns, 'Resolver', 'get').mockReturnValue(Resolver);
  folder = await makeTemporaryFolder();
  operators = await startSimulatedOperators(folder);
  receiver = await startWebhookReceiver();
  database = await createServiceDatabase();
  running = await startInProcess(database.url, {
    environment: { ROLES: 'api,dispatcher,jobs' },
    operatorOrigin: operators.origin,
  });
});
afterAll(async () => {
  await running.stop();
  await receiver.close();
  await operators.kill('SIGTERM');
  names.close();
  vi.restoreAllMocks();
  await removeFolder(folder);
  await database.drop();
});

/** With a webhook at this address, and money. */
async function shopAt(vid: 'demo' | 'demo2', url: string): Promise<VendorClient> {
  const { pool } = running.service;
  const [row] = (
    await pool.query<{ vendorId: number }>(
      'select vendor_id as "vendorId" from vendors where vid = $1',
      [vid],
    )
  ).rows;
  const vendor = { vid, vendorId: row?.vendorId ?? 0 };
  await setWebhook(pool, vendor, {
    url,
    allowsPrivate: true,
    sealing: async () => running.sealing,
  });
  const shop = running.demo(vid);
  await shop.call('fund', { time: String(Date.now()), currency: 'KES' });
  return shop;
}

const pay = async (shop: VendorClient, reference: string) =>
  await shop.call('create', {
    ...{ biller_name: 'kplc_prepaid', amount: '100', account: '14234560000' },
    ...{ phone: '0722000001', merchant_reference: reference },
  });

test('a vendor whose name has a silent server delays neither payments nor webhooks of another', async () => {
  const silent = await shopAt('demo', `http://${SILENT}/events`);
  const other = await shopAt('demo2', receiver.url.replace('127.0.0.1', 'shop.example'));
  await pay(silent, 'silent-1');
  const program = new SelfServiceClient(running.origin, { vid: 'demo', key: silent.key });
  let answered = 0;
  const tests = Array.from({ length: 5 }, async () => {
    const answer = await program.ask('testWebhook');
    answered += 1;
    return answer;
  });
  await until('the silent server was asked', () => names.asked.includes(SILENT));
  await pay(other, 'other-1');
  await until('the other vendor was told', () =>
    receiver.calls.some(
      ({ event }) =>
        event.type === 'transaction.succeeded' && event.data['merchant_reference'] === 'other-1',
    ),
  );
  expect(answered).toBe(0);
  expect(names.asked).toEqual([SILENT, 'shop.example']);
  expect(await operators.truth()).toHaveLength(2);
  for (const answer of await Promise.all(tests)) {
    expect(answer).toMatchObject({ delivered: false });
  }
});
