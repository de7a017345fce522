import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inProcess } from '../integration/cli-support.ts';
import { demoVendor } from '../support/demo-vendors.ts';
import { SandboxFixture } from '../support/sandbox.ts';
import type { Sandbox } from '../support/sandbox.ts';
import { controlsOf, startListening } from '../support/sandbox-controls.ts';
import { findFreePort } from '../support/service-process.ts';
import { until } from '../support/until.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';

const run = promisify(execFile);
const GUIDES = path.resolve(import.meta.dirname, '../../docs/guide');

/** It has types of its own, for other platforms than Node. */
const CLIENT = new URL('../../clients/typescript/src/index.ts', import.meta.url).href;
const { WebhookVerifier } = (await import(CLIENT)) as {
  readonly WebhookVerifier: new (secret: string) => {
    verify(body: string, headers: object): Promise<object>;
  };
};

const fixture = new SandboxFixture();
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await fixture.start();
}, 180_000);
afterAll(async () => await fixture.cleanUp());

const environment = () => ({ PORT: new URL(sandbox.origin).port });
const cli = async (...args: string[]) => await inProcess(environment(), ...args, '--json');

test('a program sees a payment whose answer got lost: once, signed, also after a restart of the service', async () => {
  const receiver = await startWebhookReceiver();
  const listener = await startListening(sandbox, receiver.url);
  await controlsOf(sandbox, demoVendor(sandbox)).ask('POST', '/float', { amount_cents: '1000000' });
  expect((await cli('sandbox', 'next-outcome', 'paid_unanswered')).exitCode).toBe(0);
  const client = demoVendor(sandbox);
  const reference = await client.accepted({
    ...{ account: '254722000000', merchant_reference: 'story-1' },
  });
  const call = await until('the event arrives', () =>
    receiver.calls.find(({ event }) => event.data['ipay_reference'] === reference),
  );
  const event = await new WebhookVerifier(listener.secret).verify(call.body, call.headers);
  expect(event).toMatchObject({
    type: 'transaction.succeeded',
    payment: { reference, status: 'SUCCESS', merchantReference: 'story-1' },
  });

  const port = new URL(sandbox.origin).port;
  await sandbox.kill();
  await until('the listener notices', () => listener.notes().includes('does not answer'));
  sandbox = await fixture.start({ dataDir: sandbox.dataDir, env: { PORT: port } });
  const triggered = await cli('trigger', 'transaction.failed');
  const { reference: failed } = triggered.json<{ reference: string }>();
  await until('the next event arrives', () =>
    receiver.calls.some(({ event: { data } }) => data['ipay_reference'] === failed),
  );
  expect(listener.notes()).toContain('answers again');
  const ids = receiver.calls.map(({ headers }) => headers['webhook-id']);
  expect(ids).toHaveLength(new Set(ids).size);
  expect(receiver.calls.map(({ event: { data } }) => data['ipay_reference'])).toEqual([
    reference,
    failed,
  ]);
  await until('both are shown', () => listener.lines().length > 1);
  expect(listener.lines()).toEqual([
    expect.objectContaining({ reference, result: 'HTTP 204', retry_in_ms: null }),
    expect.objectContaining({ reference: failed, result: 'HTTP 204', retry_in_ms: null }),
  ]);
  expect(await listener.interrupt()).toBe(0);
  await receiver.close();
}, 180_000);

test('a server that is not there yet gets the event when it is, and types can be chosen', async () => {
  const port = await findFreePort();
  const listener = await startListening(
    sandbox,
    `http://127.0.0.1:${port}/`,
    ...['--events', 'transaction.failed'],
  );
  await cli('trigger', 'transaction.succeeded');
  await cli('trigger', 'transaction.failed');
  const [line] = await until('the attempt is shown', () => {
    const lines = listener.lines();
    return lines.length > 0 && lines;
  });
  expect(line).toMatchObject({ type: 'transaction.failed', retry_in_ms: 1_000 });
  const receiver = await startWebhookReceiver(undefined, port);
  await until('the event arrives', () => receiver.calls.length > 0);
  expect(await listener.interrupt()).toBe(0);
  expect(receiver.calls.map(({ event }) => event.type)).toEqual(['transaction.failed']);
  await receiver.close();
});

test('the commands say what is wrong', async () => {
  const refused = await cli('sandbox', 'next-outcome', 'maybe');
  expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('one of paid, ')]);
  const noKey = await cli('trigger', 'float.low', '--vid', 'acme');
  expect([noKey.exitCode, noKey.stderr]).toEqual([1, expect.stringContaining('MALIPO_KEY')]);
  const state = await inProcess(environment(), 'sandbox', 'state');
  expect([state.exitCode, state.stdout]).toEqual([0, expect.stringContaining('offline billers')]);
});

// Last: its events would reach the listeners of the other tests.
test('every line of the guide is answered', async () => {
  const page = await readFile(path.join(GUIDES, 'sandbox.md'), 'utf8');
  const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);
  const script = blocks.join('\n');
  const { stdout } = await run('bash', ['-c', `. ./malipo.sh\n${script}`], {
    cwd: path.join(GUIDES, 'samples/shop'),
    env: { PATH: process.env['PATH'], MALIPO_URL: sandbox.origin },
  });
  const answers = stdout.trim().split('\n');
  expect(answers).toHaveLength(script.match(/^call .*$/gm)?.length ?? 0);
  expect(answers.length).toBeGreaterThan(15);
  for (const answer of answers) expect(JSON.parse(answer)).not.toHaveProperty('error');
}, 120_000);
