import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { rotateSecret, setWebhook } from '../../src/payments/events/administer.ts';
import { findVendor } from '../../src/parties/read-vendors.ts';
import { demoVendor, fresh } from '../support/demo-vendors.ts';
import { SandboxFixture } from '../support/sandbox.ts';
import { findFreePort } from '../support/service-process.ts';
import { until } from '../support/until.ts';
import { send } from '../support/vendor-client.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const GUIDE = path.join(ROOT, 'docs/guide/webhooks.md');

const HAS_PHP = spawnSync('php', ['--version']).status === 0;

interface Sample {
  readonly language: string;
  readonly code: string;
}

const fixture = new SandboxFixture();
afterAll(async () => await fixture.cleanUp());

/** A receiver of the guide as a program of its own. */
async function runReceiver(folder: string, { language, code }: Sample, secret: string) {
  const port = await findFreePort();
  const file = path.join(folder, `receiver-${port}.${language === 'php' ? 'php' : 'mjs'}`);
  await writeFile(file, code.replace('listen(3000)', `listen(${port}, '127.0.0.1')`));
  const [program, args] =
    language === 'php' ? ['php', ['-S', `127.0.0.1:${port}`, file]] : [process.execPath, [file]];
  const child = spawn(program, args, {
    env: { PATH: process.env['PATH'], WEBHOOK_SECRET: secret },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (printed += text));
  }
  return {
    origin: `http://127.0.0.1:${port}`,
    printed: () => printed,
    stop: () => child.kill('SIGKILL'),
  };
}

test('all receivers of the guide accept the service’s events, and nothing else', async () => {
  const sandbox = await fixture.start();
  const pool = await sandbox.pool();
  const demo = demoVendor(sandbox);
  await demo.fund();
  const vendor = await findVendor(pool, 'demo');
  if (vendor === undefined) throw new Error('there is no demo vendor');
  const sealing = async () => ({ masterKeys: await sandbox.masterKeys(), certain: false });
  const url = 'http://127.0.0.1:9/';
  await setWebhook(pool, vendor, { url, allowsPrivate: true, sealing });
  const guide = await readFile(GUIDE, 'utf8');
  // The receivers that use a client are tested with the other samples.
  const samples = [...guide.matchAll(/^```(js|php)\n([\s\S]*?)^```$/gm)]
    .map(([, language = '', code = '']): Sample => ({ language, code }))
    .filter(({ code }) => !code.includes('MALIPO_'));
  expect(samples.map(({ language }) => language)).toEqual(['js', 'js', 'php']);
  const folder = await mkdtemp(path.join(tmpdir(), 'malipo-webhooks-'));
  await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
  for (const sample of samples.filter(({ language }) => language !== 'php' || HAS_PHP)) {
    // The first secret is also still used: one matching signature is enough.
    const secret = await rotateSecret(pool, vendor, {
      sealing: await sealing(),
      overlapSeconds: 60,
    });
    const receiver = await runReceiver(folder, sample, secret);
    try {
      await until(
        'the receiver listens',
        async () => await fetch(receiver.origin).then(Boolean, () => false),
      );
      await setWebhook(pool, vendor, { url: receiver.origin, allowsPrivate: true, sealing });
      const created = await demo.create({
        account: '14234569901',
        biller_name: 'kplc_prepaid',
        merchant_reference: fresh('order'),
      });
      expect(created.status, created.text).toBe(200);
      const reference = String(created.body.msg['ipay_reference']);
      const pattern = new RegExp(`evt_[-0-9a-f]{36} transaction\\.succeeded ${reference}$`, 'm');
      await until('it was told', () => pattern.test(receiver.printed()));
      const forged = {
        method: 'POST',
        path: '/',
        headers: {
          'webhook-id': 'evt_1',
          'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
          'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}`,
        },
        body: '{"type":"transaction.succeeded","data":{}}',
      };
      expect((await send(receiver.origin, forged)).status).toBe(401);
    } finally {
      receiver.stop();
    }
  }
  await rm(folder, { recursive: true });
}, 120_000);
