import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addFundedVendor, demoVendor, fresh } from '../support/demo-vendors.ts';
import { PATHS_OF_SAMPLES, SAMPLE_LANGUAGES, SampleFolder } from '../support/samples.ts';
import { controlsOf } from '../support/sandbox-controls.ts';
import { SandboxFixture } from '../support/sandbox.ts';
import type { Sandbox } from '../support/sandbox.ts';
import { findFreePort } from '../support/service-process.ts';
import { until } from '../support/until.ts';
import { send } from '../support/vendor-client.ts';
import type { VendorClient } from '../support/vendor-client.ts';

/** It has types of its own, for other platforms than Node. */
const CLIENT = new URL('../../clients/typescript/src/index.ts', import.meta.url).href;
const { signTestEvent } = (await import(CLIENT)) as {
  readonly signTestEvent: (
    secret: string,
    event: { readonly type: string; readonly data: object },
  ) => Promise<{ readonly body: string; readonly headers: Readonly<Record<string, string>> }>;
};

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

const fixture = new SandboxFixture();
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await fixture.start();
}, 180_000);
afterAll(async () => await fixture.cleanUp());

const HERE = SAMPLE_LANGUAGES.filter(({ runs }) => runs);
/** There is no client: the samples themselves repeat and judge. */
const WITHOUT_CLIENT = new Set(['curl', 'Java']);

const folders = new Map<string, SampleFolder>();
beforeAll(async () => {
  const folder = await fixture.folder();
  for (const language of HERE) {
    const own = path.join(folder, language.name);
    folders.set(language.name, await SampleFolder.prepare(language, own, sandbox));
  }
}, 180_000);

function folderOf(name: string): SampleFolder {
  const found = folders.get(name);
  if (found === undefined) throw new Error(`${name} is not installed`);
  return found;
}

const pay = async (samples: SampleFolder, order: string, account: string): Promise<string> =>
  await samples.output('pay', { 'order-1': order, '37200009901': account });

// They mostly wait, for up to 20 seconds, so all of them run at once; each language has its own vendor.
describe.concurrent('an outcome that does not come', () => {
  test('all samples call an outcome that does not come unknown', async () => {
    const printed = await Promise.all(
      HERE.map(async ({ name }) => await pay(folderOf(name), fresh('order'), '37200009909')),
    );
    expect(printed).toEqual(HERE.map(() => expect.stringMatching(/^not known yet: ./)));
  }, 120_000);

  test('without a client, too, the outcome is unknown if an attempt without an answer was followed by a refusal', async () => {
    const names = HERE.map(({ name }) => name).filter((name) => WITHOUT_CLIENT.has(name));
    const printed = await Promise.all(
      names.map(async (name) => {
        const service = await startForgetfulService();
        const output = await folderOf(name).for(service).output('pay');
        service.stop();
        return { output, creates: service.creates() };
      }),
    );
    const unknown = { output: expect.stringMatching(/^not known yet: ./), creates: 2 };
    expect(printed).toEqual(names.map(() => unknown));
  }, 120_000);
});

/** Closes the connection of the first create, and refuses everything else. */
async function startForgetfulService() {
  let creates = 0;
  const service = createServer((request, response) => {
    const isCreate = request.url === '/transaction/create';
    if (isCreate) creates += 1;
    if (isCreate && creates === 1) {
      request.socket.destroy();
      return;
    }
    const code = isCreate ? 'insufficient_float' : 'unknown_reference';
    response.writeHead(isCreate ? 402 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: [{ code, text: 'No' }] }));
  });
  await new Promise<void>((resolve) => {
    service.listen(0, '127.0.0.1', resolve);
  });
  return {
    origin: `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
    creates: () => creates,
    stop: () => {
      service.closeAllConnections();
      service.close();
    },
  };
}

describe.concurrent.each(SAMPLE_LANGUAGES)('the samples for $title', ({ name, runs }) => {
  let vendor: VendorClient;
  let samples: SampleFolder;
  beforeAll(async () => {
    if (!runs) return;
    vendor = await addFundedVendor(sandbox, { floatAmount: '5000.00', sector: 'bank' });
    const { vid, key } = vendor;
    samples = folderOf(name).for({ origin: sandbox.origin, vid, key });
  });

  const only = test.skipIf(!runs).sequential;

  only(
    'pay once, also when repeated, and find the payment by its reference',
    async () => {
      const order = fresh('order');
      const paid = await pay(samples, order, '37200009901');
      expect(paid).toMatch(/^paid, token \d{20}$/);
      expect(await pay(samples, order, '37200009901')).toBe(paid);
      const status = await samples.output('status', { 'order-1': order });
      expect(status).toBe(`SUCCESS ${status.split(' ')[1]} ${paid.split(' ').at(-1)}`);
      expect(await pay(samples, fresh('order'), '37200009902')).toMatch(/^not paid: declined, ./);

      const from = { '2026-11-01': new Date(Date.now() - 86_400_000).toISOString().slice(0, 10) };
      const listed = await samples.output('list', from);
      expect(listed).toMatch(new RegExp(`^${status.split(' ')[1]} 10000$`, 'm'));
      if (!WITHOUT_CLIENT.has(name)) return;
      await pay(samples, fresh('order'), '37200009901');
      const command = await samples.save('list', { 'limit=100': 'limit=1' });
      const day = command.replace('2026-11-01', from['2026-11-01']);
      const { stdout } = await samples.run(day);
      expect(stdout.trim()).toBe(await samples.output('list', from));
      expect(stdout.trim().split('\n').length).toBeGreaterThan(1);
    },
    240_000,
  );

  only(
    'say what was refused',
    async () => {
      expect(await pay(samples, fresh('order'), '12')).toMatch(
        /^refused: .* \(invalid_field, request [-0-9a-f]{36}\)$/,
      );
    },
    120_000,
  );

  only(
    'wait and repeat while the service is overloaded or its answers are lost, and pay once',
    async () => {
      for (const answer of ['overloaded', 'outcome_unknown']) {
        await controlsOf(sandbox, vendor).ask('POST', '/answers', { answer, requests: 3 });
        const order = fresh('order');
        expect(await pay(samples, order, '37200009901')).toMatch(/^paid, token \d{20}$/);
        const [, reference] = (await samples.output('status', { 'order-1': order })).split(' ');
        const truth = await sandbox.truth();
        expect(truth.filter((entry) => entry.reference === reference)).toHaveLength(1);
      }
    },
    240_000,
  );

  only(
    'read the balance and query a score',
    async () => {
      expect(await samples.output('balance')).toMatch(/^\d+ cents in the float, \d+ reserved$/);
      const score = await samples.output('score', { enquiry1: `enquiry${name}` });
      expect(score).toMatch(/^score \d+, grade \w+$/);
    },
    120_000,
  );

  only(
    'accept a genuine event and no other',
    async () => {
      const event = await signTestEvent(SECRET, { type: 'transaction.succeeded', data: DATA });
      const forged = event.headers['webhook-signature']?.replace(/....$/, 'AAA=') ?? '';
      if (name === 'curl') {
        const command = (await samples.save('events')).replace('whsec_…', SECRET);
        const check = async (signature: string) => {
          const { 'webhook-id': id, 'webhook-timestamp': time } = event.headers;
          const given = command
            .replace(' ID TIMESTAMP SIGNATURE < body.json', ` ${id} ${time} '${signature}'`)
            .replace(/^/, `printf '%s' '${event.body}' | `);
          return (await samples.run(`${given} || true`)).stdout.trim();
        };
        expect(await check(`v1,AAAA ${event.headers['webhook-signature']}`)).toBe('genuine');
        expect(await check(forged)).toBe('not genuine');
        return;
      }
      const port = await findFreePort();
      const isInFile = name !== 'PHP';
      const saved = await samples.save('events', isInFile ? { '3000': String(port) } : {});
      const command = saved.replace('whsec_…', SECRET).replace('3000', String(port));
      const receiver = spawn('bash', ['-c', command.replace(/(?<==\S+) /, ' exec ')], {
        cwd: samples.folder,
        env: PATHS_OF_SAMPLES,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let printed = '';
      for (const stream of [receiver.stdout, receiver.stderr]) {
        stream.setEncoding('utf8').on('data', (text: string) => (printed += text));
      }
      try {
        const origin = `http://127.0.0.1:${port}`;
        const deliver = async (headers: Readonly<Record<string, string>>) =>
          (await send(origin, { method: 'POST', path: '/', headers, body: event.body })).status;
        await until(
          'the receiver listens',
          async () => await fetch(origin).then(Boolean, () => false),
          60_000,
        );
        expect(await deliver({ ...event.headers, 'webhook-signature': forged })).toBe(401);
        expect(printed).not.toContain(DATA.merchant_reference);
        expect(await deliver(event.headers)).toBe(204);
        await until('it is printed', () => printed.includes(DATA.merchant_reference));
      } finally {
        receiver.kill('SIGKILL');
      }
    },
    120_000,
  );
});

// After all others, because none of them could pay.
describe('a biller that is offline', () => {
  test('ends all samples at once: nothing was accepted', async () => {
    const controls = controlsOf(sandbox, demoVendor(sandbox, 'demo'));
    await controls.ask('POST', '/billers/kplc_prepaid/offline', { seconds: 3_600 });
    const printed = await Promise.all(
      HERE.map(async ({ name }) => await pay(folderOf(name), fresh('order'), '37200009901')),
    );
    await controls.ask('POST', '/billers/kplc_prepaid/online');
    const expected =
      /^nothing was accepted; try again later: The biller is offline \(biller_offline, request [-0-9a-f]{36}\)$/;
    expect(printed).toEqual(HERE.map(() => expect.stringMatching(expected)));
  }, 120_000);
});

const DATA = {
  vid: 'demo',
  status: 1,
  ipay_reference: '00000000G06B8M1Z2Y3X4W5V6T7S8R9Q',
  posted_time: '2026-01-05 12:00:02',
  merchant_reference: 'order-of-an-event',
  biller_response_time: '2026-01-05 12:00:03',
  biller_reference: 'KP-88412',
  transaction_status: 'SUCCESS',
  transaction_message: 'Paid',
  failure_code: null,
  account: '14234569901',
  amount: 100,
  biller_name: 'kplc_prepaid',
  details: { token: '12345678901234567890', units: '4.2' },
};
