import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkLedger } from '../../src/payments/audit/check.ts';
import { must } from '../integration/cli-support.ts';
import { demoVendor } from '../support/demo-vendors.ts';
import { SandboxFixture } from '../support/sandbox.ts';
import type { Sandbox, TruthEntry } from '../support/sandbox.ts';
import { startTroubledProvider } from '../support/troubled-provider.ts';
import type { Trouble, TroubledProvider } from '../support/troubled-provider.ts';
import { until } from '../support/until.ts';

// One biller with two operators, through their real protocols. The first one fails: payments continue
// through the second, and those with an unknown result stay with the first.

const BILLER = 'power_tokens';
const FIRST = 'dtone';
const SECOND = 'vtpass';
const fixture = new SandboxFixture();
let sandbox: Sandbox;
let provider: TroubledProvider;

beforeAll(async () => {
  sandbox = await fixture.start({
    options: ['--providers'],
    env: { BREAKER_FAILURES: '2', BREAKER_COOLDOWN_MS: '300' },
  });
  // Creating a transaction at DT One moves no money: what is lost is the confirmation’s answer.
  provider = await startTroubledProvider(
    `${sandbox.operatorOrigin}/providers/${FIRST}`,
    (line) => line === 'POST /async/transactions',
  );
  await cli('biller', 'set', BILLER, '--operator', FIRST);
  await cli('operator', 'set', FIRST, '--base-url', provider.origin, [
    '--setting',
    'pay_timeout_ms=1000',
    '--setting',
    'status_timeout_ms=500',
  ]);
  await demoVendor(sandbox).fund();
  await until('payments go through the first', async () => await isFirstUsed());
}, 120_000);
afterAll(async () => {
  await fixture.cleanUp();
  await provider.close();
});

async function cli(...args: readonly (string | readonly string[])[]): Promise<string> {
  return (await must(sandbox.environment, ...args)).stdout;
}

async function cliJson<Document>(...args: string[]): Promise<Document> {
  return (await must(sandbox.environment, ...args, '--json')).json<Document>();
}

async function truthOf(operator: string): Promise<TruthEntry[]> {
  const answer = await fetch(`${sandbox.operatorOrigin}/providers/${operator}/truth`);
  return (await answer.json()) as TruthEntry[];
}

interface Attempt {
  readonly kind: string;
  readonly operator: string;
  readonly route_reason: string;
  readonly outcome: string | null;
  readonly note: string | null;
}

/** The newest payment of an account. */
async function referenceOf(account: string): Promise<string> {
  const found = await cliJson<{ payments: { reference: string }[] }>('payment', 'find', account);
  return found.payments[0]?.reference ?? '';
}

/** Its instructions according to `malipo payment show`. */
async function attemptsOf(account: string): Promise<readonly Attempt[]> {
  const show = ['payment', 'show', await referenceOf(account)] as const;
  const { timeline } = await cliJson<{ timeline: Attempt[] }>(...show);
  return timeline.filter(({ kind }) => kind === 'attempt');
}

/** Operator, reason and outcome of each. */
async function wayOf(account: string): Promise<(string | null)[][]> {
  const attempts = await attemptsOf(account);
  return attempts.map((one) => [one.operator, one.route_reason, one.outcome]);
}

const made = new Map<string, string>();

/** Pays an account. @param ending the last digits, which decide the result. @returns the account. */
async function pay(ending = '9901'): Promise<string> {
  const account = `7${String(made.size).padStart(6, '0')}${ending}`;
  made.set(account, await demoVendor(sandbox).accepted({ biller_name: BILLER, account }));
  return account;
}

async function statusOf(account: string): Promise<string> {
  return (await demoVendor(sandbox).payment(made.get(account) ?? '')).transaction_status;
}

async function succeeds(account: string): Promise<true> {
  return await until(
    `${account} is paid`,
    async () => (await statusOf(account)) === 'SUCCESS' && true,
    90_000,
  );
}

async function isFirstUsed(): Promise<boolean> {
  const account = await pay();
  await succeeds(account);
  return (await wayOf(account))[0]?.[0] === FIRST;
}

/** Lines of `/metrics` by name and labels. */
async function readMetrics(): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(`${sandbox.origin}/metrics`)).text();
  return new Map(
    text.split('\n').map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end))];
    }),
  );
}

/** Waits until a scrape shows these values; a scrape may repeat an older answer. */
async function metricsShow(expected: Readonly<Record<string, number>>): Promise<void> {
  await until('the metrics show it', async () => {
    const metrics = await readMetrics();
    const shown = Object.keys(expected).map((name) => [name, metrics.get(name)]);
    expect(Object.fromEntries(shown)).toEqual(expected);
    return true;
  });
}

const ROUTE = `biller="${BILLER}",operator="${FIRST}"`;

/** Pays until a payment goes straight to the second operator. Returns the accounts, that one last. */
async function payUntilAvoided(reason: RegExp): Promise<string[]> {
  const accounts: string[] = [];
  await until(`payments avoid the first: ${reason.source}`, async () => {
    const account = await pay();
    accounts.push(account);
    const [[operator, why] = []] = await until('it was sent', async () => {
      const way = await wayOf(account);
      return way.length > 0 && way;
    });
    return operator === SECOND && reason.test(why ?? '');
  });
  return accounts;
}

/** Everything was paid once, by one of them, and the ledger agrees. */
async function expectPaidOnce(): Promise<void> {
  const paid = [...(await truthOf(FIRST)), ...(await truthOf(SECOND))];
  expect(paid.map(({ account }) => account).toSorted()).toEqual([...made.keys()].toSorted());
  expect((await checkLedger(await sandbox.pool())).violations).toEqual([]);
}

async function paidByFirst(account: string): Promise<boolean> {
  return (await truthOf(FIRST)).some((entry) => entry.account === account);
}

interface Case {
  readonly trouble: Trouble;
  /** What happens to payments that are sent to the first operator meanwhile. */
  readonly sent: 'proven_not_executed' | 'unknown';
  readonly result: 'not_sent' | 'unknown';
}

const CASES: readonly Case[] = [
  { trouble: 'down', sent: 'proven_not_executed', result: 'not_sent' },
  { trouble: 'garbage', sent: 'unknown', result: 'unknown' },
  { trouble: 'slow', sent: 'unknown', result: 'unknown' },
];

test.each(CASES)(
  'the first operator is in trouble: $trouble',
  async ({ trouble, sent, result }) => {
    const calls = `malipo_operator_calls_total{operator="${FIRST}",call="send",result="${result}"}`;
    const routed = `malipo_routed_payments_total{biller="${BILLER}",operator="${SECOND}",reason="breaker"}`;
    const before = await readMetrics();
    // Accepted before the trouble; executed during it.
    const accepted = await pay('9905');
    await until('the first has accepted it', async () => {
      const [attempt] = await attemptsOf(accepted);
      return attempt?.operator === FIRST && attempt.note === 'CONFIRMED';
    });
    await provider.strike(trouble);
    const accounts = await payUntilAvoided(/^dtone: circuit breaker: 2 calls in a row/);
    const avoiding = accounts.at(-1) ?? '';
    await succeeds(avoiding);

    await metricsShow({
      [`malipo_route_breaker_open{${ROUTE}}`]: 1,
      [`malipo_route_usable{${ROUTE}}`]: 0,
    });
    const metrics = await readMetrics();
    for (const name of [calls, routed]) {
      expect(metrics.get(name), name).toBeGreaterThan(before.get(name) ?? 0);
    }
    expect(await cli('route', BILLER, '60')).toMatch(
      /would go through vtpass \(dtone: circuit breaker: 2 calls in a row failed; the last: [^)]+\)/,
    );
    expect(await cli('route', 'list', '--biller', BILLER)).toContain('circuit breaker');

    const unknown = [accepted];
    for (const account of accounts.slice(0, -1)) {
      const [first] = await wayOf(account);
      if (first?.[0] === SECOND) await succeeds(account);
      else if (sent === 'unknown') unknown.push(account);
      else {
        await succeeds(account);
        expect(await wayOf(account)).toEqual([
          [FIRST, 'first', 'not_sent'],
          [SECOND, 'failover', 'paid'],
        ]);
      }
    }
    if (sent === 'unknown') expect(unknown.length).toBeGreaterThan(1);
    // Payments that the first has really paid also stay open until it can report them.
    for (const account of unknown) {
      await until(`the first pays ${account}`, async () => await paidByFirst(account));
      expect(await statusOf(account), account).toBe('PENDING');
      expect(await wayOf(account), account).toEqual([[FIRST, 'first', null]]);
    }
    expect(await cli('payment', 'show', await referenceOf(unknown.at(-1) ?? ''))).toMatch(
      /instruction 1 sent to dtone \(first\): outcome not known yet/,
    );

    await provider.strike('none');
    for (const account of unknown) {
      await succeeds(account);
      expect(await wayOf(account), account).toEqual([[FIRST, 'first', 'paid']]);
    }
    await until('payments go through the first again', async () => await isFirstUsed());
    await expectPaidOnce();
  },
  240_000,
);

test('the first operator is out of float', async () => {
  await cli('operator', 'set-float', FIRST, '--stop', '55', '--resume', '1000');
  await fetch(`${provider.origin}/float`, { method: 'PUT', body: '{"available": 50}' });
  const refused = await pay();
  await succeeds(refused);
  expect(await wayOf(refused)).toEqual([
    [FIRST, 'first', 'not_sent'],
    [SECOND, 'failover', 'paid'],
  ]);
  expect((await attemptsOf(refused))[0]?.note).toMatch(/INSUFFICIENT-BALANCE/);
  const accounts = await payUntilAvoided(/^dtone: our float with it is too low/);
  for (const account of accounts) await succeeds(account);

  await metricsShow({
    [`malipo_operator_float_cents{operator="${FIRST}"}`]: 5_000,
    [`malipo_operator_float_state{operator="${FIRST}",state="stopped"}`]: 1,
    [`malipo_operator_float_hours_left{operator="${FIRST}"}`]: 0,
    [`malipo_route_usable{${ROUTE}}`]: 0,
  });
  const routed = `malipo_routed_payments_total{biller="${BILLER}",operator="${SECOND}",reason="float"}`;
  expect((await readMetrics()).get(routed)).toBeGreaterThan(0);
  expect(await cli('operator', 'floats')).toMatch(/^dtone +50\.00 +stopped +0\.0/m);
  expect(await cli('route', BILLER, '60')).toContain('(dtone: our float with it is too low)');
  expect(await cli('payment', 'show', await referenceOf(accounts.at(-1) ?? ''))).toMatch(
    /instruction 1 sent to vtpass \(dtone: our float with it is\s+too low\): paid/,
  );
  await expectPaidOnce();
}, 240_000);
