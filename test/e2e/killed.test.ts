import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { checkLedger } from '../../src/payments/audit/check.ts';
import { demoVendor } from '../support/demo-vendors.ts';
import { SandboxFixture } from '../support/sandbox.ts';
import type { Sandbox } from '../support/sandbox.ts';
import { untilNothingRuns } from '../support/service-process.ts';
import { until } from '../support/until.ts';

const fixture = new SandboxFixture();
afterAll(async () => await fixture.cleanUp());

const SUFFIXES = '9901 9902 9903 9904 9905 9906 9907 9908 9909 9910 0001'.split(' ');
const BILLERS = ['kplc_prepaid', 'safaricom', 'airtel', 'zuku'] as const;
const COUNT = 200;

interface Payment {
  readonly biller_name: string;
  readonly account: string;
  readonly merchant_reference: string;
}

const payments: readonly Payment[] = Array.from({ length: COUNT }, (_, index) => ({
  biller_name: BILLERS[index % BILLERS.length] ?? '',
  account: `25478${String(index).padStart(3, '0')}${SUFFIXES[index % SUFFIXES.length]}`,
  merchant_reference: `order-${index}`,
}));

/** The answer's `ipay_reference`; undefined when no answer came. */
async function create(sandbox: Sandbox, payment: Payment): Promise<string | undefined> {
  const answer = await demoVendor(sandbox)
    .create({ ...payment })
    .catch(() => undefined);
  if (answer === undefined) return undefined;
  expect(answer.status, answer.text).toBe(200);
  return String(answer.body.msg['ipay_reference']);
}

/**
 * Keeps ten creates in progress until all were sent, or until `onAnswer` returns true. It is called
 * after each answer.
 */
async function createAll(
  sandbox: Sandbox,
  wanted: readonly Payment[],
  onAnswer: (payment: Payment, reference: string) => boolean,
): Promise<void> {
  let left = [...wanted];
  const work = async (): Promise<void> => {
    for (let payment = left.shift(); payment !== undefined; payment = left.shift()) {
      const reference = await create(sandbox, payment);
      if (reference !== undefined && onAnswer(payment, reference)) left = [];
    }
  };
  await Promise.all(Array.from({ length: 10 }, work));
}

/** Kills the service once this many creates were answered; those in progress get no answer. */
async function killAmidCreates(
  sandbox: Sandbox,
  accepted: Map<string, string>,
  { killAt, whom }: { readonly killAt: number; readonly whom: 'group' | 'everything' },
): Promise<void> {
  const unanswered = payments.filter((payment) => !accepted.has(payment.merchant_reference));
  let killed: Promise<void> | undefined;
  await createAll(sandbox, unanswered, (payment, reference) => {
    accepted.set(payment.merchant_reference, reference);
    if (accepted.size >= killAt) killed ??= sandbox.kill(whom);
    return killed !== undefined;
  });
  expect(killed).toBeDefined();
  await killed;
}

test('a kill under load: nothing is lost, and nothing is paid twice', async () => {
  const accepted = new Map<string, string>();
  const first = await fixture.start();
  expect(await demoVendor(first).fund()).toBe(100_000);
  await killAmidCreates(first, accepted, { killAt: 70, whom: 'group' });
  expect(accepted.size).toBeLessThan(COUNT);

  // Again, with the database server too, while the first payments are being verified.
  const second = await fixture.start({ dataDir: first.dataDir });
  await killAmidCreates(second, accepted, { killAt: 140, whom: 'everything' });
  expect(accepted.size).toBeLessThan(COUNT);

  const third = await fixture.start({ dataDir: first.dataDir });
  // Clients without an answer repeat the request with the same reference. Others may do so too.
  await createAll(third, payments, (payment, reference) => {
    const known = accepted.get(payment.merchant_reference);
    if (known !== undefined) expect(reference).toBe(known);
    accepted.set(payment.merchant_reference, reference);
    return false;
  });
  expect(new Set(accepted.values()).size).toBe(COUNT);

  const vendor = demoVendor(third);
  const statuses = new Map<string, string>();
  await until(
    'all but the silent ones end',
    async () => {
      for (const { account, merchant_reference: name } of payments) {
        if (statuses.has(name)) continue;
        const payment = await vendor.payment(accepted.get(name) ?? '');
        const status = payment.transaction_status;
        const isEnd = account.endsWith('9909') ? status === 'PENDING' : /SUC|FAIL/.test(status);
        if (isEnd) statuses.set(name, status);
      }
      return statuses.size === COUNT;
    },
    180_000,
  );

  const truth = await third.truth();
  const timesPaid = new Map<string, number>();
  for (const { reference } of truth) {
    timesPaid.set(reference, (timesPaid.get(reference) ?? 0) + 1);
  }
  // Only the requested payments were made, each once.
  const known = new Set(accepted.values());
  expect([...timesPaid.keys()].filter((reference) => !known.has(reference))).toEqual([]);
  expect([...timesPaid.values()].filter((times) => times > 1)).toEqual([]);
  for (const { account, merchant_reference: name } of payments) {
    const paid = timesPaid.has(accepted.get(name) ?? '');
    const otherwise = account.endsWith('9909') ? 'PENDING' : 'FAILED';
    expect(statuses.get(name), account).toBe(paid ? 'SUCCESS' : otherwise);
    expect(paid, account).toBe(!/(9902|9904|9909)$/.test(account));
  }

  const pool = await third.pool();
  const count = await pool.query<{ count: bigint }>('select count(*) from payments');
  expect(count.rows[0]?.count).toBe(BigInt(COUNT));
  expect((await checkLedger(pool)).violations).toEqual([]);
  const silent = payments.filter((payment) => payment.account.endsWith('9909')).length;
  expect(await vendor.balance()).toBe(100_000 - 60 * (timesPaid.size + silent));
}, 360_000);

test('when only the database server is killed, the service ends with a message and can be started again', async () => {
  const first = await fixture.start();
  await demoVendor(first).fund();
  const reference = await demoVendor(first).accepted({ account: '254722009905' });
  const lockFile = await readFile(path.join(first.dataDir, 'postgres/data/postmaster.pid'), 'utf8');
  process.kill(Number(lockFile.split('\n')[0]), 'SIGKILL');
  expect(await first.process.ended()).toEqual({ code: 1, signal: null });
  expect(first.process.stderr).toContain('the embedded database ended');
  await untilNothingRuns(first.dataDir, first.process.pid);

  const second = await fixture.start({ dataDir: first.dataDir });
  await until('it is paid', async () => {
    return (await demoVendor(second).payment(reference)).transaction_status === 'SUCCESS';
  });
  expect((await second.truth()).map((entry) => entry.reference)).toEqual([reference]);
}, 180_000);
