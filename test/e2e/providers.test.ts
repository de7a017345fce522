import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PROVIDER_OPERATORS } from '../../sandbox/provider-operators.ts';
import { findVendor } from '../../src/parties/read-vendors.ts';
import { checkLedger } from '../../src/payments/audit/check.ts';
import { setRoute } from '../../src/payments/billers/administer-routes.ts';
import { setWebhook } from '../../src/payments/events/administer.ts';
import { demoVendor, fresh } from '../support/demo-vendors.ts';
import { SandboxFixture } from '../support/sandbox.ts';
import type { Sandbox, TruthEntry } from '../support/sandbox.ts';
import { until } from '../support/until.ts';
import type { Payment } from '../support/vendor-client.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';
import type { WebhookReceiver } from '../support/webhook-receiver.ts';

// `npm start -- --providers`: payments through the real protocols of emulated providers.

const run = promisify(execFile);
const fixture = new SandboxFixture();
let sandbox: Sandbox;
let receiver: WebhookReceiver;

beforeAll(async () => {
  sandbox = await fixture.start({ options: ['--providers'] });
  receiver = await startWebhookReceiver();
}, 120_000);
afterAll(async () => {
  await fixture.cleanUp();
  await receiver.close();
});

async function truthOf(provider: string): Promise<TruthEntry[]> {
  const answer = await fetch(`${sandbox.operatorOrigin}/providers/${provider}/truth`);
  return (await answer.json()) as TruthEntry[];
}

async function ended(reference: string): Promise<Payment> {
  return await until(
    `${reference} has its end`,
    async () => {
      const payment = await demoVendor(sandbox).payment(reference);
      return ['SUCCESS', 'FAILED'].includes(payment.transaction_status) ? payment : undefined;
    },
    60_000,
  );
}

/** The environment of a person who has started the sandbox: with DATABASE_URL if its database is external. */
function commandEnvironment(): NodeJS.ProcessEnv {
  const { DATABASE_URL } = sandbox.environment;
  return { PATH: process.env['PATH'], ...(DATABASE_URL !== undefined && { DATABASE_URL }) };
}

/** The lines of the banner that a person can paste. */
const pasted = (): string[] =>
  sandbox.process.stdout.split('\n').filter((line) => line.startsWith('curl '));

test('the lines of the banner work as they are: callback, failover, and a customer who pays', async () => {
  const [first = '', daraja = '', failover = '', customer = ''] = pasted();
  expect(pasted()).toHaveLength(4);
  const references: string[] = [];
  for (const line of [first, daraja, failover]) {
    const { stdout } = await run('bash', ['-c', line]);
    const [funded, created] = stdout
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text) as { msg: Record<string, unknown> });
    expect(funded?.msg['amount']).toBe(100_000);
    references.push(String(created?.msg['ipay_reference']));
  }
  for (const reference of references) {
    expect((await ended(reference)).transaction_status, reference).toBe('SUCCESS');
  }
  expect(await truthOf('daraja')).toMatchObject([
    { reference: references[1], biller: '600300', account: '1423459905', amount: '100.00' },
  ]);
  expect(await truthOf('jambopay')).toEqual([]);
  expect(await truthOf('dtone')).toMatchObject([{ account: '1423459925', amount: '100.00' }]);

  const paid = JSON.parse((await run('bash', ['-c', customer])).stdout) as { receipt: string };
  expect(await truthOf('paybill')).toMatchObject([{ reference: paid.receipt, amount: '250.00' }]);
  await until('the receipt can be spent', async () => (await demoVendor(sandbox).fund()) === 250);
  // The commands in the banner.
  const commands = sandbox.process.stdout.match(/(?<=^(?:Watch them: | {12}) ).*malipo.*$/gm) ?? [];
  expect(commands).toHaveLength(2);
  for (const command of commands) {
    const here = command.replace('<receipt>', paid.receipt);
    const { stdout } = await run('bash', ['-c', here], { env: commandEnvironment() });
    expect(stdout).toMatch(/SUCCESS|credited/);
  }
}, 120_000);

/** Airtel Money knows phones without the country’s code. */
const isOf = (entry: TruthEntry, account: string): boolean =>
  entry.account === account || `254${entry.account}` === account;

interface Way {
  readonly provider: string;
  readonly biller_name: string;
  /** The beginning of its accounts. */
  readonly prefix: string;
  /** Providers that would be tried first. */
  readonly instead?: readonly string[];
  readonly details: Readonly<Record<string, string>> | null;
}

const TOKEN = '00001111222233334444';
const WAYS: readonly Way[] = [
  { provider: 'daraja', biller_name: 'water_bills', prefix: '2001', details: null },
  {
    provider: 'jambopay',
    biller_name: 'power_tokens',
    prefix: '2002',
    details: { token: TOKEN, units: '19.8 kWh' },
  },
  {
    provider: 'dtone',
    biller_name: 'power_tokens',
    prefix: '2003',
    instead: ['jambopay'],
    details: { token: TOKEN },
  },
  {
    provider: 'vtpass',
    biller_name: 'power_tokens',
    prefix: '2004',
    instead: ['jambopay', 'dtone'],
    details: { token: TOKEN, units: '19.8 kWh' },
  },
  {
    provider: 'reloadly',
    biller_name: 'airtime_top_up',
    prefix: '2547110',
    details: { network: 'Example Kenya' },
  },
  {
    provider: 'africastalking',
    biller_name: 'airtime_top_up',
    prefix: '2547111',
    instead: ['reloadly'],
    details: null,
  },
  {
    provider: 'tingg',
    biller_name: 'tv_bills',
    prefix: '2005',
    details: { token: TOKEN, units: '19.8' },
  },
  { provider: 'daraja', biller_name: 'shop_tills', prefix: '2006', details: null },
  {
    provider: 'kopokopo',
    biller_name: 'water_bills',
    prefix: '2007',
    instead: ['daraja', 'tingg'],
    details: null,
  },
  {
    provider: 'flutterwave',
    biller_name: 'tv_bills',
    prefix: '2008',
    instead: ['tingg'],
    details: null,
  },
  { provider: 'pesalink', biller_name: 'bank_accounts', prefix: '2009', details: null },
  { provider: 'airtelmoney', biller_name: 'wallet_top_up', prefix: '2547330', details: null },
];

describe('the customer’s token in status, webhook and command line', () => {
  beforeAll(async () => {
    const pool = await sandbox.pool();
    const row = await findVendor(pool, 'demo');
    if (row === undefined) throw new Error('there is no demo vendor');
    const masterKeys = await sandbox.masterKeys();
    await setWebhook(pool, row, {
      url: receiver.url,
      allowsPrivate: true,
      sealing: async () => ({ masterKeys, certain: true }),
    });
  });

  /**
   * Pays until the route is used: the service learns of a change a moment later, and uses a provider
   * whose float was empty again only after a pause.
   */
  const payThrough = async ({ provider, biller_name, prefix }: Way) => {
    const vendor = demoVendor(sandbox);
    let number = 0;
    return await until(
      `${provider} is paid through`,
      async () => {
        const account = `${prefix}${(number += 1)}9901`;
        const merchant_reference = fresh(provider);
        const reference = await vendor.accepted({ biller_name, account, merchant_reference });
        const payment = await ended(reference);
        const paid = (await truthOf(provider)).filter((entry) => isOf(entry, account));
        return paid.length > 0 && { reference, payment, paid };
      },
      120_000,
    );
  };

  test.each(WAYS)(
    '$provider',
    async (way) => {
      const { biller_name: billerCode, instead = [], details } = way;
      const pool = await sandbox.pool();
      const setAll = async (status: 'ONLINE' | 'OFFLINE'): Promise<void> => {
        for (const operatorCode of instead) {
          await setRoute(pool, { billerCode, operatorCode }, { status });
        }
      };
      await setAll('OFFLINE');
      const { reference, payment, paid } = await payThrough(way);
      await setAll('ONLINE');
      expect(payment.transaction_status).toBe('SUCCESS');
      expect(payment.details ?? {}).toMatchObject(details ?? {});
      expect(payment.biller_reference).toMatch(/\S/);
      expect(paid).toMatchObject([{ amount: '60.00' }]);
      expect(Date.parse(paid[0]?.paid_at ?? '')).toBeGreaterThan(0);

      const call = await until('the webhook is called', () =>
        receiver.calls.find(({ event }) => event.data['ipay_reference'] === reference),
      );
      expect(call.event).toMatchObject({
        type: 'transaction.succeeded',
        data: { details: payment.details },
      });
      const { stdout } = await run(
        process.execPath,
        ['src/cli/malipo.ts', 'payment', 'show', reference],
        { env: { ...commandEnvironment(), DATA_DIR: sandbox.dataDir } },
      );
      for (const shown of [payment.biller_reference ?? '', ...Object.values(details ?? {})]) {
        expect(stdout).toContain(shown);
      }
    },
    240_000,
  );

  test('validation names the amount due and when it is due', async () => {
    const { body } = await demoVendor(sandbox).call('validate', {
      account: '20059901',
      account_type: 'tv_bills',
    });
    expect(body).toMatchObject({
      text: 'SUCCESS',
      account_data: { name: 'TEST CUSTOMER', amountdue: '2500.50', due_date: '2026-01-31' },
    });
  });
});

describe('malipo operator test', () => {
  test.each(Object.keys(PROVIDER_OPERATORS))(
    '%s: prints what to try in the provider’s own sandbox',
    async (code) => {
      const { stdout } = await run(
        process.execPath,
        ['src/cli/malipo.ts', 'operator', 'test', code],
        { env: { ...commandEnvironment(), DATA_DIR: sandbox.dataDir } },
      );
      expect(stdout).toMatch(/^address and credentials +(yes|no) /m);
      expect(stdout).toMatch(/^What proves that nothing was executed\n(  - .+\n(    .+\n)*)+/m);
      expect(stdout).toMatch(/^To try in the provider’s sandbox first\n(  - .+\n(    .+\n)*){2}/m);
    },
    60_000,
  );
});

test('what a customer pays to the till, without an account number, is the vendor’s', async () => {
  const body = JSON.stringify({ amount: '320.00' });
  const url = `${sandbox.operatorOrigin}/providers/till/customer`;
  const { receipt } = (await (await fetch(url, { method: 'POST', body })).json()) as {
    receipt: string;
  };
  await until('the receipt can be spent', async () => (await demoVendor(sandbox).fund()) === 320);
  expect(await truthOf('till')).toMatchObject([{ reference: receipt, amount: '320.00' }]);
}, 60_000);

test('after SIGKILL of everything, a start without the option keeps the providers and their records', async () => {
  const vendor = demoVendor(sandbox);
  const bills = [
    { provider: 'daraja', biller_name: 'water_bills', account: '30019905' },
    { provider: 'dtone', biller_name: 'power_tokens', account: '30029925' },
    { provider: 'reloadly', biller_name: 'airtime_top_up', account: '254711029905' },
    { provider: 'tingg', biller_name: 'tv_bills', account: '30039905' },
  ];
  const references = await Promise.all(
    bills.map(async ({ provider: _provider, ...bill }) => await vendor.accepted(bill)),
  );
  const pool = await sandbox.pool();
  // Without the id in Daraja’s answer, only people could find out the result.
  await until('they are accepted by their operators', async () => {
    const waiting = await pool.query(
      `select from dispatch_queue
       where operator_handle is null and (note is null or biller_code = 'water_bills')`,
    );
    return waiting.rowCount === 0;
  });
  await sandbox.kill('everything');

  const { dataDir, origin, operatorOrigin } = sandbox;
  const env = { PORT: new URL(origin).port, OPERATOR_PORT: new URL(operatorOrigin).port };
  sandbox = await fixture.start({ dataDir, env });
  expect(pasted()).toHaveLength(4);
  for (const [index, reference] of references.entries()) {
    const { provider = '', account } = bills[index] ?? {};
    expect((await ended(reference)).transaction_status, account).toBe('SUCCESS');
    const paid = (await truthOf(provider)).filter((entry) => entry.account === account);
    expect(paid, account).toHaveLength(1);
  }
  // Earlier payments are also listed.
  expect(await truthOf('africastalking')).toHaveLength(1);
  expect((await checkLedger(await sandbox.pool())).violations).toEqual([]);
}, 180_000);
