import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PaymentList } from '../../src/staff/payments.ts';
import type { CaseDetail } from '../../src/staff/cases.ts';
import type { AccountStatement } from '../../src/staff/account-statements.ts';
import type { TrialBalanceAnswer } from '../../src/staff/house.ts';
import type {
  CorrectionsAnswer,
  ExposureAnswer,
  MarginAnswer,
  ReceivablesAnswer,
  VatAnswer,
} from '../../src/staff/reports.ts';
import { AGES, ageLimits } from '../../src/payments/reports/ages.ts';
import type { OverviewAnswer } from '../../src/staff/overview.ts';
import { openLedgerMac } from '../../src/parties/ledger-key.ts';
import { findVendor } from '../../src/parties/read-vendors.ts';
import { checkLedger } from '../../src/payments/audit/check.ts';
import { setFeePrice } from '../../src/payments/billers/administer-prices.ts';
import { openCase } from '../../src/payments/cases/cases-store.ts';
import { DEMO_STAFF_TOKEN } from '../../src/parties/people/tokens.ts';
import { decodeReference } from '../../src/parties/reference.ts';
import { formatMoney } from '../../src/platform/base/money.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { signedIn } from '../support/console-client.ts';
import type { ConsoleClient } from '../support/console-client.ts';
import { createServiceDatabase, startInProcess } from '../support/in-process-service.ts';
import type { InProcessService } from '../support/in-process-service.ts';
import { zoneAtNoon } from '../support/noon.ts';
import { addOwingVendor } from '../support/owing-vendor.ts';
import { startSimulatedOperators } from '../support/simulated-operators.ts';
import type { SimulatedOperators } from '../support/simulated-operators.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import type { VendorClient } from '../support/vendor-client.ts';
import { inProcess, must } from './cli-support.ts';
import { findFreePort } from '../support/service-process.ts';

// Payments with faults, operators that are killed while they pay, and corrections. Then every figure of the
// finance pages and of the first page is that of the command line, and the sum of the ledger's rows.

let database: TestDatabase;
let running: InProcessService;
let operators: SimulatedOperators;
let folder: string;
let finance: ConsoleClient;
let environment: Record<string, string>;
/** A payment that the vendor owes. */
let owed = '';
const POOR = 'poor';
/** Of the service and of the command line. */
const zone = { TIME_ZONE: zoneAtNoon() };

/** What the simulated operators do, by the last digits of the account. */
const FAULTS = ['9901', '9902', '9903', '9904', '9908', '9910'] as const;
const NEVER_TELLS = '9909';

beforeAll(async () => {
  folder = await makeTemporaryFolder();
  database = await createServiceDatabase();
  operators = await startSimulatedOperators(folder, ['--port', String(await findFreePort())]);
  running = await startInProcess(database.url, {
    environment: { ROLES: 'api,dispatcher,jobs', ...zone },
    operatorOrigin: operators.origin,
  });
  environment = { DATABASE_URL: database.url, ...zone };
  finance = await signedIn(running.origin, 'finance');
  await addPrice();
  await running.demo().call('fund', { time: String(Date.now()), currency: 'KES' });
  await payWithFaults();
  owed = await addOwingVendor(running, POOR, 11_160n);
  await takeBackIncome();
});
afterAll(async () => {
  await running.stop();
  await operators.kill('SIGTERM');
  await database.drop();
  await removeFolder(folder);
});

async function addPrice(): Promise<void> {
  const formula = {
    tiers: [{ fromCents: 0n, flatCents: 1_160n, bps: 0 }],
    minimumCents: null,
    maximumCents: null,
    vatBps: 1_600,
    vatIncluded: true,
  };
  const key = { billerCode: 'kplc_prepaid', vendorId: null };
  await setFeePrice(running.service.pool, key, formula, { validFrom: null, setBy: 'Asha' });
}

let payments = 0;

async function pay(vendor: VendorClient, fault: string, amount = '100.00'): Promise<string> {
  payments += 1;
  return await vendor.accepted({
    biller_name: 'kplc_prepaid',
    amount,
    account: `142${String(payments).padStart(3, '0')}${fault}`,
    merchant_reference: `order-${payments}`,
  });
}

const count = async (sql: string): Promise<number> =>
  Number(
    (await running.service.pool.query<{ n: number }>(`select count(*)::integer as n ${sql}`))
      .rows[0]?.n,
  );

async function payWithFaults(): Promise<void> {
  const vendor = running.demo();
  // The price counts when the process has read it.
  await until('a payment with a fee is created', async () => {
    await pay(vendor, '9901');
    return (await count('from payments where fee_cents > 0')) > 0;
  });
  for (const fault of [...FAULTS, NEVER_TELLS, NEVER_TELLS]) await pay(vendor, fault);
  await operators.kill('SIGKILL');
  for (const fault of FAULTS) await pay(vendor, fault);
  operators = await startSimulatedOperators(folder, ['--port', String(operators.port)]);
  await until('all results but two', async () => {
    const open = await count('from payments where outcome is null');
    const unknown = await count(`from dispatch_queue where stage = 'verify'`);
    return open === 2 && unknown === 2;
  });
}

async function takeBackIncome(): Promise<void> {
  const { pool } = running.service;
  const vendorId = (await findVendor(pool, 'demo'))?.vendorId ?? 0;
  await openCase(pool, {
    ...{ vendorId, paymentId: null, kind: 'receipt_reversed', operatorCode: null },
    evidenceId: decodeReference(owed)?.paymentId ?? null,
    facts: {
      ...{ issuer: 'mpesa', receipt: 'TKM1', receipt_state: 'credited' },
      ...{ paid_cents: 5_000, reversed_cents: 5_000 },
    },
  });
}

const shown = async <Answer>(path: string): Promise<Answer> => await finance.read<Answer>(path);
const told = async <Answer>(...words: readonly (string | readonly string[])[]): Promise<Answer> =>
  (await must(environment, ...words.flat(), '--json')).json<Answer>();
/** One sum straight from the tables. */
const sum = async (sql: string): Promise<string> => {
  const read = await running.service.pool.query<{ cents: bigint | null }>(
    `select (select ${sql})::bigint as cents`,
  );
  return formatMoney(read.rows[0]?.cents ?? 0n);
};

test('the ledger is consistent', async () => {
  const { pool, sealing } = { ...running.service, sealing: running.sealing };
  const mac = await openLedgerMac(pool, sealing.masterKeys);
  expect((await checkLedger(pool, { mac })).violations).toEqual([]);
});

test('receivables name payment and case, and are the ledger’s accounts', async () => {
  const found = await shown<ReceivablesAnswer>('/receivables');
  const { receivables, total, by_age: byAge } = found;
  expect(receivables).toMatchObject([
    { debtor: 'vendor', name: POOR, age: '0-1', amount: '111.60', owed: '111.60', reference: owed },
  ]);
  expect(total).toBe(await sum(`-sum(balance_cents) from accounts where account = 'exposure'`));
  expect(byAge).toEqual({ '0-1': total, '1-7': '0.00', '7-30': '0.00', '>30': '0.00' });
  const report = await told<ReceivablesAnswer>('report', 'receivables');
  expect({ ...report, at: found.at }).toEqual(found);
  for (const caseId of [receivables[0]?.case, receivables[0]?.open_case]) {
    expect((await shown<CaseDetail>(`/cases/${caseId}`)).reference).toBe(owed);
  }
  const csv = (await finance.get('/receivables.csv')).text.trimEnd().split('\r\n');
  expect(csv).toHaveLength(2);
  // A spreadsheet would turn `0-1` into a date.
  expect(csv[1]).toContain(`,0-1 days,111.60,111.60,${owed},`);
  const written = await must(environment, 'report', 'receivables', '--csv');
  expect(written.stdout).toContain(`,0-1 days,111.60,111.60,${owed},`);
});

test('exposure is what the queue and the open cases hold, and each figure leads to its payments', async () => {
  const found = await shown<ExposureAnswer>('/exposure');
  expect(found.unknown).toMatchObject([{ operator: 'kplc', count: 2, amount: '200.00' }]);
  expect(found.unknown_total).toBe(
    await sum(`sum(amount_cents) from payments where outcome is null`),
  );
  const [unknown, reversed, ...others] = found.exposure;
  expect(others).toEqual([]);
  expect(unknown).toMatchObject({ what: 'unknown', operator: 'kplc', age: AGES[0], count: 2 });
  expect(reversed).toMatchObject({
    ...{ what: 'reversed', vid: 'demo', receipt: 'TKM1', amount: '50.00', age: '0-1' },
  });
  const from = ageLimits(new Date(found.at))[0].toISOString();
  const list = await shown<PaymentList>(
    `/payments?status=PENDING&operator=kplc&from=${from}&to=${found.at}`,
  );
  expect(list.payments).toHaveLength(2);
  const report = await told<ExposureAnswer>('report', 'exposure');
  expect({ ...report, at: found.at }).toEqual(found);
});

test('the VAT of the month is the ledger’s account', async () => {
  const found = await shown<VatAnswer>('/vat');
  const { month, vendors, total, closing } = found;
  expect(found.is_equal).toBe(true);
  expect(total.vat).not.toBe('0.00');
  expect(total.vat).toBe(await sum(`sum(balance_cents) from accounts where account = 'vat'`));
  expect(closing).toBe(total.vat);
  expect(vendors.map(({ vid }) => vid)).toEqual(['demo', POOR]);
  expect(await told('report', 'vat', '--month', month)).toEqual(found);
  const csv = (await finance.get('/vat.csv')).text.trimEnd().split('\r\n');
  expect(csv.at(-1)).toBe(
    [
      'total',
      total.charges,
      total.fees,
      total.excise,
      total.charged,
      total.returned,
      total.vat,
    ].join(','),
  );
  const written = await must(environment, 'report', 'vat', '--month', month, '--csv');
  expect(written.stdout.trimEnd().split('\r\n')).toEqual(
    csv.map((line) => line.replace('\ufeff', '')),
  );
});

test('fees and margins are those of the command line and of the accounts', async () => {
  const found = await shown<MarginAnswer>('/margin');
  expect(await told('report', 'margin')).toEqual(found);
  const { stdout } = await must(environment, 'report', 'margin');
  const [titles = '', first, ...others] = stdout.trimEnd().split('\n');
  // The other dimensions have no value in any row.
  expect(titles).toMatch(/^BILLER +PAYMENTS +AMOUNT +FEES +VAT +COST +COMMISSION +MARGIN$/);
  expect(first).toMatch(/^kplc_prepaid /);
  const { payments: paid, amount } = found.total;
  expect(others).toEqual([expect.stringMatching(new RegExp(`^total +${paid} +${amount} `))]);
  expect(found.total).toMatchObject({
    payments: await count(`from payments where outcome = 'success'`),
    amount: await sum(`sum(balance_cents) from accounts where account like 'operator:%'`),
    fees: await sum(`sum(balance_cents) from accounts where account = 'fees'`),
    vat: await sum(`sum(balance_cents) from accounts where account = 'vat'`),
  });
});

test('the trial balance is that of the command line and of the accounts', async () => {
  const found = await shown<TrialBalanceAnswer>('/ledger');
  expect(found.is_even).toBe(true);
  expect(await told('house', 'trial-balance')).toEqual(found);
  const parts = await told<TrialBalanceAnswer>('house', 'trial-balance', '--parts');
  expect(parts.accounts).toEqual(
    found.accounts.flatMap((line) => line.parts.map((part) => ({ ...part, parts: [] }))),
  );
  expect(parts.total).toEqual(found.total);
  for (const { books, account, debit, credit } of parts.accounts) {
    if (books === 'house') continue;
    const balance = `sum(balance_cents) from accounts where account = '${account}'`;
    const isCredit = credit !== '0.00';
    expect(isCredit ? credit : debit).toBe(await sum(isCredit ? balance : `-${balance}`));
  }
});

test('corrections have their payment, and are those of the command line, also as a file', async () => {
  const found = await shown<CorrectionsAnswer>('/corrections');
  expect(new Set(found.corrections.map(({ reference }) => reference))).toEqual(new Set([owed]));
  expect(await told('report', 'corrections')).toEqual(found);
  const csv = await must(environment, 'report', 'corrections', '--csv');
  expect(csv.stdout.trimEnd().split('\r\n')).toHaveLength(1 + found.corrections.length);
});

test.each([
  [
    '/vendors/demo/account-statement',
    ['vendor', 'demo'],
    `sum(balance_cents) from accounts
    where account in ('collected', 'float', 'reserved') and vendor_id = (select vendor_id from vendors where vid = 'demo')`,
  ],
  [
    '/operators/kplc/account-statement',
    ['operator', 'kplc'],
    `-sum(balance_cents) from accounts
    where account in ('operator:kplc', 'receivable:kplc')`,
  ],
])('the statement %s closes with the balance of its accounts', async (path, subject, sql) => {
  // A statement ends where the oldest running database transaction began.
  const {
    head,
    opening,
    closing,
    lines,
    next,
    count: all,
  } = await until('it has all transfers', async () => {
    const statement = await shown<AccountStatement>(path);
    const later = await count(`from transfers where created_at >= '${statement.head?.to}'`);
    return later === 0 && statement;
  });
  expect(next).toBeNull();
  expect(lines).toHaveLength(all ?? 0);
  expect(lines.at(-1)?.balance).toBe(closing?.balance);
  expect(closing?.balance).toBe(await sum(sql));
  const report = await told<AccountStatement>('account-statement', subject);
  expect(report.opening?.balance).toBe(opening?.balance);
  expect(report).toMatchObject({
    closing: { balance: closing?.balance },
    head: { from: head?.from },
  });
});

test('the first page has the figures of the overview and of the payments', async () => {
  const home = await shown<OverviewAnswer>('/home');
  const overview = await told<Record<string, Record<string, unknown>>>('overview');
  const created = await count('from payments');
  expect(home.today).toMatchObject({ created });
  expect(overview['today']).toMatchObject({ created, failed: home.today.failed });
  expect(home.unknown.count).toBe(2);
  expect(overview['unknown']).toMatchObject({ count: 2 });
  expect(overview['open_cases']).toMatchObject({ count: home.open_cases?.count });
  expect(home.open_cases?.count).toBe(await count('from cases where resolved_at is null'));
});

test('a check that fails makes the command end with 1, also with --csv and far away', async () => {
  const remote = { MALIPO_URL: running.origin, MALIPO_TOKEN: DEMO_STAFF_TOKEN };
  const report = async (where: Record<string, string>, ...format: string[]) =>
    await inProcess(where, 'report', 'vat', ...format);
  expect(await report(remote, '--csv')).toMatchObject({ exitCode: 0, stderr: '' });
  // As if somebody had changed the account.
  await database.asOwner(`delete from accounts where account = 'vat'`);
  for (const where of [environment, remote]) {
    expect(await report(where)).toMatchObject({ exitCode: 1, stderr: '' });
    const { exitCode, stdout, stderr } = await report(where, '--csv');
    expect(stdout).toContain('\r\ntotal,');
    expect(stderr).toContain('run the command without --csv to see it');
    expect(exitCode).toBe(1);
  }
});
