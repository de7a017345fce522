import { afterAll, beforeAll, expect, test } from 'vitest';
import { must } from '../integration/cli-support.ts';
import { demoVendor, fresh } from '../support/demo-vendors.ts';
import { SandboxFixture } from '../support/sandbox.ts';
import type { Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';

// What people on call see of a payment: its log lines, and metrics of a real process that rise.

const BILLER = 'kplc_prepaid';
const fixture = new SandboxFixture();
let sandbox: Sandbox;
let before: ReadonlyMap<string, number>;

beforeAll(async () => {
  sandbox = await fixture.start({ env: { LOG_LEVEL: 'info' } });
  const settings = ['--setting', 'pay_timeout_ms=3000'];
  await must(sandbox.environment, 'operator', 'set', 'kplc', ...settings);
  before = await readMetrics();
  const vendor = demoVendor(sandbox);
  await vendor.fund();
  const pay = async (account: string, amount: string) =>
    await vendor.create({
      ...{ account, amount, biller_name: BILLER, merchant_reference: fresh('bill') },
    });
  expect((await pay('14250009901', '100.00')).status).toBe(200);
  expect((await pay('14250009903', '100.00')).status).toBe(200);
  expect((await pay('14250009901', '99999999.00')).status).toBe(402);
});
afterAll(async () => await fixture.cleanUp());

/** Lines of `/metrics` by name and labels. */
async function readMetrics(): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(`${sandbox.origin}/metrics`)).text();
  return new Map(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => {
        const end = line.lastIndexOf(' ');
        return [line.slice(0, end), Number(line.slice(end))];
      }),
  );
}

/** @param name with all its labels, or with none. */
function sumOf(metrics: ReadonlyMap<string, number>, name: string): number {
  const ofName = [...metrics].filter(([line]) => line === name || line.split('{')[0] === name);
  return ofName.reduce((sum, [, value]) => sum + value, 0);
}

test('every payment has a line when it is accepted, refused, unanswered and settled', async () => {
  const lines = await until('every line is there', () => {
    const all = sandbox.process.stderr
      .split('\n')
      .filter((line) => line.includes('"msg":"payment '))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const kinds = new Set(all.map(({ msg }) => msg));
    const settled = all.filter(({ msg }) => msg === 'payment settled');
    return kinds.size === 4 && settled.length === 2 && all;
  });
  const of = (start: string) => lines.filter(({ msg }) => String(msg).startsWith(start));
  const where = {
    host: expect.any(String),
    roles: expect.any(String),
    version: expect.any(String),
  };
  const common = { ...where, vid: 'demo', biller: BILLER, durationMs: expect.any(Number) };
  const known = { ...common, reference: expect.stringMatching(/^\w{32}$/) };
  expect(of('payment accepted')).toMatchObject([known, known]);
  expect(of('payment refused')).toMatchObject([{ ...common, code: 'insufficient_float' }]);
  expect(of('payment unanswered')).toMatchObject([{ ...known, operator: 'kplc' }]);
  const settled = { ...known, operator: 'kplc', outcome: 'success' };
  expect(of('payment settled')).toMatchObject([settled, settled]);
});

const payments = (outcome: string): string =>
  `malipo_payments_total{biller="${BILLER}",outcome="${outcome}"}`;
const call = 'operator="kplc",call="send"';

test.each([
  payments('accepted'),
  payments('refused'),
  payments('unanswered'),
  payments('success'),
  `malipo_payment_refusals_total{biller="${BILLER}",code="insufficient_float"}`,
  `malipo_operator_calls_total{${call},result="paid"}`,
  `malipo_operator_calls_total{${call},result="unknown"}`,
  `malipo_operator_calls_total{operator="kplc",call="verify",result="paid"}`,
  `malipo_operator_call_duration_seconds_count{${call}}`,
  'malipo_lane_batch_rows_count',
  'malipo_lane_wait_seconds_count',
])('%s rises', async (name) => {
  await until(`${name} rises`, async () => {
    return sumOf(await readMetrics(), name) > sumOf(before, name);
  });
});

test.each([
  'malipo_ready',
  'malipo_pool_connections',
  'malipo_pool_connections_max',
  'malipo_pool_waiting',
  'malipo_dispatcher_idle_seconds',
  'malipo_route_breaker_open',
  'malipo_route_usable',
  'malipo_operator_float_cents',
  'malipo_oldest_open_seconds',
  'malipo_webhook_oldest_seconds',
  'malipo_build_info',
  'nodejs_eventloop_lag_p99_seconds',
])('%s has a value', async (name) => {
  await until(`${name} has a value`, async () => {
    return [...(await readMetrics())].some(
      ([line, value]) => line.split('{')[0] === name && Number.isFinite(value),
    );
  });
});
