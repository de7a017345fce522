import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ConsoleClient } from '../support/console-client.ts';
import { addFundedVendor, demoVendor, fresh } from '../support/demo-vendors.ts';
import { SandboxFixture } from '../support/sandbox.ts';
import type { Sandbox } from '../support/sandbox.ts';
import { findFreePort, untilNothingRuns } from '../support/service-process.ts';
import { until } from '../support/until.ts';
import { BODY_FORMS, encode, PATHS, send, signed } from '../support/vendor-client.ts';
import type { WireBody } from '../support/vendor-client.ts';

const run = promisify(execFile);
const fixture = new SandboxFixture();
afterAll(async () => await fixture.cleanUp());

/** The line of the banner that a person can paste. */
function curlLine(sandbox: Sandbox): string {
  const line = sandbox.process.stdout.split('\n').find((text) => text.startsWith('curl '));
  if (line === undefined) throw new Error('The banner has no curl line');
  return line;
}

function portOf(origin: string): string {
  return new URL(origin).port;
}

/** Sends the requests of the line without curl, and returns the answers in order. */
async function sendCurlLine(line: string): Promise<WireBody[]> {
  const answers: WireBody[] = [];
  for (const command of line.split('&&').filter((part) => part.includes('curl'))) {
    const [url = ''] = /http:\S+/.exec(command) ?? [];
    const { origin, pathname } = new URL(url);
    const pairs = [...command.matchAll(/-d ([^=\s]+)=(\S+)/g)].map(([, name = '', value = '']) => [
      name,
      value,
    ]);
    const request = encode(pathname, Object.fromEntries(pairs), 'urlencoded');
    answers.push((await send(origin, request)).body);
  }
  return answers;
}

async function paste(line: string): Promise<WireBody[]> {
  if (spawnSync('curl', ['--version']).status !== 0) return await sendCurlLine(line);
  const { stdout } = await run('bash', ['-c', line]);
  return stdout
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text) as WireBody);
}

/** Starts in an environment in which it cannot work; returns its output. No process may be left. */
async function refusedStart(env: Readonly<Record<string, string>>): Promise<string> {
  const dataDir = env['DATA_DIR'] ?? (await fixture.folder());
  const running = fixture.launch('sandbox', {
    PORT: String(await findFreePort()),
    OPERATOR_PORT: String(await findFreePort()),
    DATA_DIR: dataDir,
    ...env,
  });
  const ending = await running.ended();
  expect(ending, running.stderr).toEqual({ code: 1, signal: null });
  if (env['DATA_DIR'] === undefined) await untilNothingRuns(dataDir, running.pid);
  // In plain words, not with a stack.
  expect(running.stderr).not.toMatch(/^ {4}at /m);
  expect(running.stdout).toBe('');
  return running.stderr;
}

/** Listens on a port, so that it is in use. */
async function occupied(work: (port: number) => Promise<void>): Promise<void> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await work((server.address() as AddressInfo).port);
  } finally {
    server.close();
  }
}

describe('from the first start to the second', () => {
  test('the banner’s line pays a bill, Ctrl-C ends everything, and the data stays', async () => {
    const first = await fixture.start({ dataDir: await fixture.folder() });
    const [funded, created] = await paste(curlLine(first));
    expect(funded).toMatchObject({ header_status: 200, msg: { status: 1, amount: 100_000 } });
    expect(created).toMatchObject({ header_status: 200, msg: { status: 1 } });
    const reference = String(created?.msg['ipay_reference']);

    const paid = await until('the bill is paid', async () => {
      const { body } = await demoVendor(first).call('status', { reference });
      const text = body.msg['text'] as Record<string, unknown>;
      return text['transaction_status'] === 'SUCCESS' && body;
    });
    const [, look = ''] = /^Then look at it: +(.+)$/m.exec(first.process.stdout) ?? [];
    expect(
      (await run('bash', ['-c', look], { env: { PATH: process.env['PATH'] } })).stdout,
    ).toContain(reference);
    expect((await first.truth()).map((entry) => entry.reference)).toEqual([reference]);
    expect(await demoVendor(first).balance()).toBe(99_900);

    // Interrupted again during a slow payment: it is only delayed.
    const slow = await demoVendor(first).accepted({
      account: '254700009907',
      merchant_reference: 'slow',
    });
    await until('it is sent', async () => {
      return (await demoVendor(first).payment(slow)).transaction_status === 'PENDING';
    });
    // A second sandbox is started by mistake, on other ports and on the same ports. It is refused before it
    // changes files of the first one.
    const ports = { PORT: portOf(first.origin), OPERATOR_PORT: portOf(first.operatorOrigin) };
    for (const same of [{}, ports]) {
      expect(await refusedStart({ DATA_DIR: first.dataDir, ...same })).toContain(first.dataDir);
    }
    expect(await first.interrupt()).toEqual({ code: 0, signal: null });

    const second = await fixture.start({ dataDir: first.dataDir });
    expect((await demoVendor(second).call('status', { reference })).body).toEqual(paid);
    expect(await demoVendor(second).balance()).toBe(99_840);
    // The opening income was added once, and the reference still names the same payment.
    expect(await demoVendor(second).fund()).toBe(0);
    expect(
      await demoVendor(second).accepted({ account: '254700009907', merchant_reference: 'slow' }),
    ).toBe(slow);
    await until('the slow payment ends', async () => {
      return (await demoVendor(second).payment(slow)).transaction_status === 'SUCCESS';
    });
    expect((await second.truth()).map((entry) => entry.reference)).toEqual([reference, slow]);

    second.process.signal('SIGTERM', 'process');
    expect(await second.process.ended()).toEqual({ code: 0, signal: null });
    await untilNothingRuns(second.dataDir, second.process.pid);
  }, 240_000);
});

describe('a problem that a person can solve', { timeout: 240_000 }, () => {
  test('an occupied PORT is named', async () => {
    await occupied(async (port) => {
      const said = await refusedStart({ PORT: String(port) });
      expect(said).toContain(`Port ${port}`);
      expect(said).toContain('PORT');
      // There may also be log lines.
      expect(said.split('\n').filter((line) => /^[^{]/.test(line))).toHaveLength(1);
    });
  });

  test('an occupied OPERATOR_PORT is named', async () => {
    await occupied(async (port) => {
      const said = await refusedStart({ OPERATOR_PORT: String(port) });
      expect(said).toContain(String(port));
      expect(said).toContain('OPERATOR_PORT, by default PORT + 1');
    });
  });

  test('an unknown mode is refused', async () => {
    for (const mode of ['server', 'production', '__proto__']) {
      const running = fixture.launch(mode, { DATA_DIR: await fixture.folder() });
      expect(await running.ended()).toEqual({ code: 1, signal: null });
      expect(running.stderr).toContain('npm run serve');
    }
  });

  test('every mistake of the environment is listed at once', async () => {
    const mistakes = {
      PORT: 'eighty',
      OPERATOR_PORT: '70000',
      LOG_LEVEL: 'loud',
      ROLES: 'api,dancer',
      TIME_ZONE: 'Mars/Olympus',
      MASTER_KEY: 'short',
      BASE_PATH: 'without-slash',
      DATABASE_URL: 'mysql://127.0.0.1/malipo',
      LANE_CONNECTIONS: '-1',
    };
    const said = await refusedStart(mistakes);
    const lines = said.split('\n');
    for (const name of Object.keys(mistakes)) {
      expect(
        lines.some((line) => line.startsWith(`  - ${name}:`)),
        name,
      ).toBe(true);
    }
    // Values may be secrets.
    expect(said).not.toContain('short');
  });
});

describe('a running sandbox', () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await fixture.start({ env: { LOG_LEVEL: 'debug' } });
  });

  const get = async (path: string) => await send(sandbox.origin, { method: 'GET', path });

  test('reports that it is alive and ready', async () => {
    for (const path of ['/health/live', '/health/ready']) {
      const answer = await get(path);
      expect(answer.status).toBe(200);
      expect(answer.headers['content-type']).toMatch(/^application\/json/);
    }
  });

  test('counts what it does', async () => {
    await get('/billing/list?vid=demo');
    const answer = await get('/metrics');
    expect(answer.headers['content-type']).toMatch(/^text\/plain/);
    expect(answer.text).toMatch(
      /^malipo_requests_total\{method="GET",route="\/billing\/list",status="200"\} [1-9]/m,
    );
    expect(answer.text).toMatch(/^malipo_cases 0$/m);
    expect(answer.text).toMatch(/^malipo_unchained_seconds \d/m);
    expect(answer.text).toMatch(/^process_cpu_seconds_total /m);
  });

  test('describes itself to programs', async () => {
    const answer = await get('/openapi.json');
    const described = JSON.parse(answer.text) as {
      openapi: string;
      paths: Record<string, Record<string, unknown>>;
    };
    expect(described.openapi).toMatch(/^3\.1/);
    expect(Object.keys(described.paths)).toEqual(expect.arrayContaining(Object.values(PATHS)));
    expect(described.paths[PATHS.balance]).toHaveProperty('get');
    expect(described.paths[PATHS.create]).toHaveProperty('post');
  });

  test('describes itself to people, with nothing from elsewhere', async () => {
    const page = await get('/docs/api/');
    expect(page.status).toBe(200);
    expect(page.headers['content-type']).toMatch(/^text\/html/);
    const loaded = [...page.text.matchAll(/<(?:script|link|img)[^>]+(?:src|href)="([^"]+)"/g)];
    expect(loaded.length).toBeGreaterThan(0);
    for (const [, address = ''] of loaded) {
      const url = new URL(address, `${sandbox.origin}/docs/api/`);
      expect(url.origin, address).toBe(sandbox.origin);
      expect((await get(url.pathname)).status, address).toBe(200);
    }
    expect((await get('/docs')).status).toBeLessThan(400);
  });

  test('logs no secret and no personal data', async () => {
    const vendor = await addFundedVendor(sandbox, {
      floatAmount: '5000.00',
      name: 'Canary Traders of Lamu',
    });
    const secrets = [vendor.key, 'Canary Traders', 'demo-security-key', 'demo-collector-key'];
    secrets.push((await sandbox.masterKeys()).current.toString('base64'));
    const account = '70077889901';
    const phone = '254733445566';
    secrets.push(account, phone, 'whsec_', 'c2ltdWxhdGVkLW9wZXJhdG9ycy1rZXktb3Blbi10by1hbGw');
    for (const form of BODY_FORMS) {
      const params = {
        vid: vendor.vid,
        biller_name: 'gotv',
        amount: '60.00',
        account,
        phone,
        merchant_reference: fresh('canary'),
      };
      const good = signed(params, vendor.key);
      const bad = signed(params, 'another key');
      secrets.push(String(good['hash']), String(bad['hash']));
      expect((await send(sandbox.origin, encode(PATHS.create, good, form))).status).toBe(200);
      expect((await send(sandbox.origin, encode(PATHS.create, bad, form))).status).toBe(401);
      const broken = encode(PATHS.create, { ...good, phone: `${phone}\u0000` }, form);
      expect((await send(sandbox.origin, broken)).status).toBeGreaterThanOrEqual(400);
    }
    const cut = `{"account":"${account}","phone":"${phone}`;
    const headers = { 'content-type': 'application/json' };
    await send(sandbox.origin, { method: 'POST', path: PATHS.create, headers, body: cut });
    // Paths that do not exist may contain anything.
    await get(`/transaction/${account}?hash=${String(secrets.at(-1))}`);
    await vendor.accepted({
      biller_name: 'kplc_prepaid',
      account: `${account.slice(0, -4)}9902`,
    });
    secrets.push(`${account.slice(0, -4)}9902`);
    const valid = await vendor.call('validate', { account_type: 'gotv', account, phone });
    const { name } = JSON.parse(valid.text).account_data as { name: string };
    secrets.push(name);
    await until('all are paid', async () => {
      const { text } = await get('/metrics');
      return !/^malipo_open_payments\{.*\} [1-9]/m.test(text);
    });

    const log = sandbox.process.stderr;
    const lines = log.trim().split('\n');
    expect(lines.length).toBeGreaterThan(BODY_FORMS.length * 3);
    for (const line of lines) expect(() => JSON.parse(line) as unknown, line).not.toThrow();
    expect(log).toContain('"level":"debug"');
    for (const secret of secrets) {
      expect(log.includes(secret), `the log holds ${secret}`).toBe(false);
    }
  }, 240_000);

  test('shops pay bills while somebody is signed in to the console', async () => {
    const staff = new ConsoleClient(sandbox.origin);
    expect((await staff.signIn('support')).status).toBe(200);
    await until('a shop pays', async () => {
      const { body } = await staff.get('/payments');
      const payments = body['payments'] as readonly { vid: string }[];
      return payments.some(({ vid }) => vid === 'ziwa-mart');
    });
  }, 240_000);
});
