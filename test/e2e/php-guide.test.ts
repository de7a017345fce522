import { execFile, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { setWebhook } from '../../src/payments/events/administer.ts';
import { findVendor } from '../../src/parties/read-vendors.ts';
import { SandboxFixture } from '../support/sandbox.ts';
import { findFreePort } from '../support/service-process.ts';
import { until } from '../support/until.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const run = promisify(execFile);

const has = (command: string, ...args: string[]): boolean =>
  spawnSync(command, args, { stdio: 'ignore', timeout: 20_000 }).status === 0;
const canRun =
  has('php', '-r', 'exit(PHP_VERSION_ID >= 80100 && function_exists("curl_init") ? 0 : 1);') &&
  has('composer', '--version');

const fixture = new SandboxFixture();
afterAll(async () => await fixture.cleanUp());

/** The programs and the commands that a reader copies, in the order of the page. */
interface Guide {
  readonly files: readonly (readonly [name: string, code: string])[];
  readonly commands: readonly string[];
}

async function readGuide(): Promise<Guide> {
  const page = await readFile(path.join(ROOT, 'docs/guide/php.md'), 'utf8');
  const saved = [...page.matchAll(/[Ss]ave this as `([\w.-]+)`[^`]*?```php\n([\s\S]*?)^```$/gm)];
  const commands = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);
  return { files: saved.map(([, name = '', code = '']) => [name, code] as const), commands };
}

test.skipIf(!canRun)(
  'the guide for PHP, from an empty folder (skipped where PHP 8.1, its curl or Composer is not found)',
  async () => {
    const sandbox = await fixture.start();
    const folder = await mkdtemp(path.join(tmpdir(), 'malipo-php-'));
    const port = await findFreePort();
    const { files, commands } = await readGuide();
    for (const [name, code] of files) await writeFile(path.join(folder, name), code);

    const pool = await sandbox.pool();
    const vendor = await findVendor(pool, 'demo');
    if (vendor === undefined) throw new Error('the demo vendor is missing');
    const sealing = async () => ({ masterKeys: await sandbox.masterKeys(), certain: false });
    const url = `http://127.0.0.1:${port}/`;
    const secret = await setWebhook(pool, vendor, { url, allowsPrivate: true, sealing });
    const env = {
      PATH: process.env['PATH'],
      HOME: folder,
      COMPOSER_HOME: path.join(folder, '.composer'),
      COMPOSER_DISABLE_NETWORK: '1',
      MALIPO_URL: sandbox.origin,
      MALIPO_WEBHOOK_SECRET: secret,
    };
    const receiver = spawn('php', ['-S', `127.0.0.1:${port}`, 'events.php'], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let received = '';
    receiver.stderr.setEncoding('utf8').on('data', (text: string) => (received += text));
    try {
      const script = commands.join('\n').replace('malipo=~/malipo', `malipo=${ROOT}`);
      expect(script).toContain(ROOT);
      const { stdout } = await run('bash', ['-ec', script], { cwd: folder, env, timeout: 150_000 });
      expect(stdout.split('\n').filter((line) => line !== '')).toEqual([
        expect.stringMatching(/^paid, token \d{20}$/),
        expect.stringMatching(/^not paid: declined, /),
        expect.stringMatching(/^paid, token \d{20}$/),
        expect.stringMatching(/^not known yet: .*not_final/),
        expect.stringMatching(/^SUCCESS \w{32} \d{20}$/),
        expect.stringMatching(/^(PENDING|QUEUED) \w{32} $/),
        expect.stringMatching(/^paid, token \d{20}$/),
        'webhook.test evt_test',
      ]);
      await until('the receiver is told', () =>
        received.includes('transaction.succeeded order-5 SUCCESS'),
      );
    } finally {
      receiver.kill('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    }
  },
  240_000,
);
