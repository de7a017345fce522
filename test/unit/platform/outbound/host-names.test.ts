import { lookup } from 'node:dns/promises';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createDeliverer } from '../../../../src/payments/events/deliver.ts';
import { createResolve } from '../../../../src/platform/outbound/host-names.ts';
import { startDnsServer } from '../../../support/dns-server.ts';
import type { DnsServer } from '../../../support/dns-server.ts';
import { makeTemporaryFolder, removeFolder } from '../../../support/temporary.ts';
import { startWebhookReceiver } from '../../../support/webhook-receiver.ts';

async function dnsServer(zone: Readonly<Record<string, string>>): Promise<DnsServer> {
  const server = await startDnsServer(zone);
  onTestFinished(() => server.close());
  return server;
}

async function fileWith(text: string): Promise<string> {
  const folder = await makeTemporaryFolder();
  onTestFinished(async () => await removeFolder(folder));
  const path = join(folder, 'file');
  await writeFile(path, text);
  return path;
}

describe('a host name', () => {
  test('a host name is found in DNS', async () => {
    const { address } = await dnsServer({ 'pay.example': '192.0.2.7' });
    const resolve = createResolve({ servers: [address] });
    expect(await resolve('Pay.Example')).toEqual([{ address: '192.0.2.7', family: 4 }]);
    expect(await resolve('pay.example.')).toEqual([{ address: '192.0.2.7', family: 4 }]);
    await expect(resolve('other.example')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  test('names of the hosts file, IPv6 as well, and localhost, need no server', async () => {
    const { address, asked } = await dnsServer({});
    const hostsFile = await fileWith(
      '# 192.0.2.1 db\n192.0.2.2\tdb.internal DB # the database\n2001:db8::2 db\nbroken\n',
    );
    const resolve = createResolve({ servers: [address], hostsFile });
    expect(await resolve('db')).toEqual([
      { address: '192.0.2.2', family: 4 },
      { address: '2001:db8::2', family: 6 },
    ]);
    const loopback = ['127.0.0.1', '::1'];
    expect((await resolve('localhost')).map((one) => one.address)).toEqual(loopback);
    expect((await resolve('shop.localhost')).map((one) => one.address)).toEqual(loopback);
    expect(asked).toEqual([]);
  });

  test('a short name is searched in the domains of the system’s settings', async () => {
    const server = await dnsServer({ 'db.pay.svc.cluster.local': '192.0.2.3' });
    const searchFile = await fileWith(
      'nameserver 192.0.2.53\nsearch other.local svc.cluster.local.\noptions edns0 ndots:2\n',
    );
    const resolve = createResolve({ servers: [server.address], searchFile });
    expect(await resolve('db.pay')).toEqual([{ address: '192.0.2.3', family: 4 }]);
    expect(server.asked).toEqual(['db.pay.other.local', 'db.pay.svc.cluster.local']);
    await expect(resolve('a.b.c')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    expect(server.asked.slice(2)).toEqual([
      'a.b.c',
      'a.b.c.other.local',
      'a.b.c.svc.cluster.local',
    ]);
  });

  test('a look-up is given up at the deadline if the server is silent', async () => {
    const { address } = await dnsServer({ 'silent.example': 'silent' });
    const resolve = createResolve({ servers: [address], deadlineMs: 50 });
    await expect(resolve('silent.example')).rejects.toMatchObject({ code: 'EAI_AGAIN' });
  });
});

describe('a vendor whose webhooks have names with silent servers', () => {
  test('looks one name up at a time, and delays no other vendor and no file', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `silent-${index}.example`);
    const server = await dnsServer({
      ...Object.fromEntries(names.map((name) => [name, 'silent'])),
      'shop.example': '127.0.0.1',
    });
    const receiver = await startWebhookReceiver();
    onTestFinished(async () => await receiver.close());
    const deliverer = createDeliverer({
      callTimeoutMs: 60_000,
      resolve: createResolve({ servers: [server.address], deadlineMs: 60_000 }),
    });
    const { signal } = new AbortController();
    const call = async (vid: string, url: string) =>
      await deliverer.deliver(
        { vid, url, allowsPrivate: true, webhookId: 'evt_1', body: '{}', secrets: [] },
        signal,
      );
    const stalled = names.map(async (name) => await call('a', `http://${name}/`));
    let ended = 0;
    for (const one of stalled) void one.then(() => (ended += 1));
    await vi.waitUntil(() => server.asked.length > 0);

    const url = new URL(receiver.url);
    url.hostname = 'shop.example';
    expect(await call('b', url.href)).toMatchObject({ kind: 'delivered' });
    // With the threads of the system's look-ups, each of these would wait.
    await Promise.all([readFile('/etc/hosts'), lookup('localhost')]);
    expect(ended).toBe(0);
    expect(server.asked).toEqual([names[0], 'shop.example']);

    await deliverer.close();
    expect(await Promise.all(stalled)).toHaveLength(names.length);
  });
});
