import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkLedger } from '../../src/payments/audit/check.ts';
import { readBalance } from '../../src/payments/ledger/read-balances.ts';
import { approveCurrent, proposeResolution } from '../support/approve-case.ts';
import { addAccount } from '../../src/payments/receipts/administer.ts';
import { requireReceipt } from '../../src/payments/receipts/assign.ts';
import { approveForReceipt, proposeForReceipt } from '../support/receipt-decisions.ts';
import { pullSource } from '../../src/payments/receipts/pull.ts';
import { openSource } from '../../src/payments/receipts/sources.ts';
import type { OpenSource } from '../../src/payments/receipts/sources.ts';
import { findSource } from '../../src/payments/receipts/sources-store.ts';
import { creditLeftClaims } from '../../src/payments/receipts/left-claims.ts';
import type { ReceiptDeps } from '../../src/payments/receipts/take.ts';
import { findVendor } from '../../src/parties/read-vendors.ts';
import { checkTopUp, pushTopUp } from '../../src/payments/receipts/push.ts';
import { openLedgerMac } from '../../src/parties/ledger-key.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { createServiceDatabase, startInProcess } from '../support/in-process-service.ts';
import type { InProcessService } from '../support/in-process-service.ts';
import { addDarajaSource, SHORT_CODE, SOURCE, startProvider } from '../support/money-in.ts';
import type { Provider } from '../support/money-in.ts';
import { until } from '../support/until.ts';
import type { VendorClient } from '../support/vendor-client.ts';

// Incoming money from Daraja: the whole service, an emulator that calls back, and forged calls.

let database: TestDatabase;
let running: InProcessService;
let provider: Provider;
let source: OpenSource;
let deps: ReceiptDeps;
beforeAll(async () => {
  database = await createServiceDatabase();
  provider = await startProvider();
  running = await startInProcess(database.url, {
    environment: { TRUSTED_PROXIES: '127.0.0.1', STRANGER_REQUESTS_PER_SECOND: '0' },
  });
  const { pool } = running.service;
  const { sealing } = running;
  await addDarajaSource(pool, {
    origin: provider.origin,
    sealing,
    settings: { confirm_from: '50000' },
  });
  const { masterKeys } = sealing;
  const log = pino({ level: 'silent' });
  deps = { pool, ledgerMac: await openLedgerMac(pool, masterKeys), log };
  const row = await findSource(pool, SOURCE);
  const callbackBase = `${running.origin}/receipts`;
  source = must(row && (await openSource({ pool, masterKeys, callbackBase, log }, row)));
  const { signal } = new AbortController();
  expect(await source.provider.register(signal)).toMatchObject({ isDone: true });
  expect(await source.provider.registerPull?.(signal)).toMatchObject({ isDone: true });
  const url = source.provider.urls.validation;
  await until('the service knows the source', async () => (await post({}, { url })).status === 200);
});
afterAll(async () => {
  await source.provider.close();
  await running.stop();
  await provider.close();
  await database.drop();
});

function must<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('it is missing');
  return value;
}

let accounts = 0;

/** A vendor with its own account number. */
async function newVendor(): Promise<{ readonly vendor: VendorClient; readonly account: string }> {
  const vendor = await running.addVendor();
  accounts += 1;
  const account = `V${String(accounts).padStart(4, '0')}`;
  await addAccount(deps, {
    sourceCode: SOURCE,
    account,
    vid: vendor.vid,
    by: 'Asha',
  });
  return { vendor, account };
}

let fundings = 1_767_603_600;

/** Returns the amount that was moved; each call has a different time. */
async function fund(vendor: VendorClient): Promise<number> {
  fundings += 1;
  const answer = await vendor.call('fund', { currency: 'KES', time: String(fundings) });
  return (answer.body.msg as { amount: number }).amount;
}

let receipts = 0;

function confirmation(change: Readonly<Record<string, unknown>> = {}) {
  receipts += 1;
  return {
    TransactionType: 'Pay Bill',
    TransID: `TB${String(receipts).padStart(8, '0')}`,
    TransTime: '20260105101530',
    TransAmount: '500.00',
    BusinessShortCode: SHORT_CODE,
    BillRefNumber: '',
    InvoiceNumber: '',
    OrgAccountBalance: '1500.00',
    ThirdPartyTransID: '',
    MSISDN: '2547 ***** 001',
    FirstName: 'TEST',
    MiddleName: '',
    LastName: '',
    ...change,
  };
}

async function post(
  content: object,
  by: { readonly url?: string; readonly headers?: Record<string, string> } = {},
): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> {
  const answer = await fetch(by.url ?? source.provider.urls.confirmation, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...by.headers },
    body: JSON.stringify(content),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

async function casesOf(receipt: string): Promise<{ kind: string; case_id: string }[]> {
  const found = await running.service.pool.query<{ kind: string; case_id: string }>(
    `select kind, case_id from cases where facts ->> 'receipt' = $1 order by opened_at`,
    [receipt],
  );
  return found.rows;
}

async function stateOf(receipt: string): Promise<string> {
  return (await requireReceipt(running.service.pool, { receipt })).state;
}

async function pullNow(): Promise<number> {
  const { signal } = new AbortController();
  return await pullSource(deps, source, { now: new Date(), pulledUntil: null, signal });
}

test('a confirmation repeated 100 times at once credits once, and can be spent in the next request', async () => {
  const { vendor, account } = await newVendor();
  const content = confirmation({ BillRefNumber: ` ${account.toLowerCase()} ` });
  const answers = await Promise.all(Array.from({ length: 100 }, async () => await post(content)));
  for (const { status, body } of answers) {
    expect({ status, body }).toEqual({
      status: 200,
      body: { ResultCode: '0', ResultDesc: 'Accepted' },
    });
  }
  expect(await fund(vendor)).toBe(500);
  expect(await vendor.balance()).toBe(500);
  expect(await stateOf(content.TransID)).toBe('credited');
});

test('a receipt without a confirmation is credited by the pull, over several pages, once', async () => {
  const { vendor, account } = await newVendor();
  for (let number = 0; number < 25; number += 1) {
    await provider.moneyIn.receive({ account, amount: '10.00', msisdn: '254700009911' });
  }
  await provider.moneyIn.receive({ account, amount: '7.00', msisdn: '254700009906' });
  await provider.moneyIn.later.quiet();
  expect(await fund(vendor)).toBe(7);
  expect(await pullNow()).toBeGreaterThanOrEqual(26);
  expect(await fund(vendor)).toBe(250);
  await pullNow();
  expect(await fund(vendor)).toBe(0);
  const metrics = await (await fetch(`${running.origin}/metrics`)).text();
  expect(metrics).toMatch(/^malipo_receipts_pulled_seconds\{source="paybill"\} \d/m);
});

test('validation declines an unknown account and a suspended short code, and accepts a vendor’s', async () => {
  const { account } = await newVendor();
  const url = source.provider.urls.validation;
  const ask = async (change: Readonly<Record<string, unknown>>) =>
    (await post(confirmation(change), { url })).body['ResultCode'];
  expect(await ask({ BillRefNumber: account })).toBe('0');
  expect(await ask({ BillRefNumber: 'NOBODY' })).toBe('C2B00012');
  expect(await ask({ BillRefNumber: account, BusinessShortCode: '600999' })).toBe('C2B00015');
});

test('forged confirmations credit nothing', async () => {
  const { vendor, account } = await newVendor();
  const content = confirmation({ BillRefNumber: account });
  const { confirmation: url, validation } = source.provider.urls;
  const forged = [
    // From another address, as the trusted proxy reports it.
    await post(content, { headers: { 'x-forwarded-for': '203.0.113.9' } }),
    await post(content, { url: `${url.slice(0, -1)}${url.endsWith('0') ? '1' : '0'}` }),
    await post(content, { url: url.replace(SOURCE, 'other') }),
  ];
  expect(forged.map(({ status }) => status)).toEqual([401, 401, 401]);
  // The secret of one kind of URL does not fit another kind.
  const swapped = validation.replace('/validate/', '/confirm/');
  expect((await post(content, { url: swapped })).status).toBe(401);
  // From the provider, but not to be read: kept for people.
  for (const change of [
    { TransAmount: '-5' },
    { TransAmount: '1e3' },
    { TransID: "x'--" },
    { BusinessShortCode: '600999' },
  ]) {
    expect((await post({ ...content, ...change })).status).toBe(200);
  }
  expect(await fund(vendor)).toBe(0);
});

test('a changed amount or account on repeat credits nothing more and opens a case', async () => {
  const one = await newVendor();
  const other = await newVendor();
  const content = confirmation({ BillRefNumber: one.account });
  await post(content);
  await post({ ...content, TransAmount: '5000.00' });
  await post({ ...content, BillRefNumber: other.account });
  expect(await fund(one.vendor)).toBe(500);
  expect(await fund(other.vendor)).toBe(0);
  expect((await casesOf(content.TransID)).map(({ kind }) => kind)).toEqual(['receipt_conflict']);
});

test('an unmatched receipt waits for two people, and an account added later does not credit it', async () => {
  const { vendor } = await newVendor();
  const content = confirmation({ BillRefNumber: 'TYPO 1' });
  expect((await post(content)).status).toBe(200);
  expect(await stateOf(content.TransID)).toBe('unmatched');
  await addAccount(deps, { sourceCode: SOURCE, account: 'typo1', vid: vendor.vid, by: 'Asha' });
  await post(content);
  expect(await stateOf(content.TransID)).toBe('unmatched');
  const name = { receipt: content.TransID };
  const note = 'the customer showed the message';
  const { vid } = vendor;
  await proposeForReceipt(deps, { ...name, by: 'Asha', note, vid });
  await expect(approveForReceipt(deps, { ...name, by: ' asha ' })).rejects.toMatchObject({
    field: 'by',
  });
  await expect(approveForReceipt(deps, { ...name, by: 'ASHA' })).rejects.toThrow('another person');
  expect(await fund(vendor)).toBe(0);
  expect(await approveForReceipt(deps, { ...name, by: 'Baraka' })).toMatchObject({
    state: 'credited',
  });
  expect(await fund(vendor)).toBe(500);
  await expect(approveForReceipt(deps, { ...name, by: 'Baraka' })).rejects.toThrow('no proposal');
});

test('a large confirmation waits until the pull lists it too', async () => {
  const { vendor, account } = await newVendor();
  await post(confirmation({ BillRefNumber: account, TransAmount: '50000.00' }));
  expect(await fund(vendor)).toBe(0);
  const made = must(
    await provider.moneyIn.receive({ account, amount: '60000.00', msisdn: '254700000001' }),
  );
  await provider.moneyIn.later.quiet();
  expect(await stateOf(made.receipt)).toBe('unconfirmed');
  await pullNow();
  expect(await fund(vendor)).toBe(60_000);
});

test('a claim that a killed process left is credited once', async () => {
  const { vendor, account } = await newVendor();
  const { pool } = running.service;
  const content = confirmation({ BillRefNumber: account });
  await post(content);
  // The state between the commits: claimed but not credited, or credited but not recorded.
  await pool.query(`update receipts set state = 'claimed' where receipt = $1`, [content.TransID]);
  expect(await creditLeftClaims(deps)).toBe(1);
  expect(await fund(vendor)).toBe(500);
  expect(await stateOf(content.TransID)).toBe('credited');
});

test('a row that was inserted by SQL credits nothing', async () => {
  const { vendor, account } = await newVendor();
  const { pool } = running.service;
  const content = confirmation({ BillRefNumber: account });
  await post(content);
  await pool.query(
    `insert into receipts (issuer, receipt, receipt_id, source_code, collector, bank, account, amount_cents,
       paid_at, received_at, vendor_id, state, mac)
     select issuer, 'FORGED0001', gen_random_uuid(), source_code, collector, bank, account, amount_cents,
       paid_at, received_at, vendor_id, 'claimed', mac
     from receipts where receipt = $1`,
    [content.TransID],
  );
  expect(await creditLeftClaims(deps)).toBe(0);
  expect(await fund(vendor)).toBe(500);
  expect(await stateOf('FORGED0001')).toBe('claimed');
});

test('a vendor tops up by a prompt: credited once by its receipt, one at a time, and nothing if it is cancelled', async () => {
  const { vendor } = await newVendor();
  const { pool } = running.service;
  const { vendorId } = must(await findVendor(pool, vendor.vid));
  const push = async (phone: string) =>
    await pushTopUp(pool, source, { vendorId, phone, amountCents: 30_000n });
  const paid = await push('254700000001');
  expect(paid.state).toBe('sent');
  await expect(push('254700000001')).rejects.toThrow('already open');
  await provider.moneyIn.later.quiet();
  expect(await checkTopUp(pool, source, paid.pushId)).toMatchObject({ state: 'paid' });
  expect(await fund(vendor)).toBe(300);
  await pullNow();
  expect(await fund(vendor)).toBe(0);
  const cancelled = await push('254700009932');
  expect(await checkTopUp(pool, source, cancelled.pushId)).toMatchObject({ state: 'failed' });
  const silent = await push('254700009909');
  expect(await checkTopUp(pool, source, silent.pushId)).toMatchObject({ state: 'sent' });
  expect(await fund(vendor)).toBe(0);
  await expect(push('0700000001')).rejects.toThrow('12 digits');
});

test('a reversal opens a case, and two people take the money back', async () => {
  const { vendor, account } = await newVendor();
  const { pool } = running.service;
  const content = confirmation({ BillRefNumber: account });
  await post(content);
  expect(await fund(vendor)).toBe(500);
  await post({ ...content, TransactionType: 'Pay Bill Reversal' });
  await post({ ...content, TransactionType: 'Pay Bill Reversal' });
  const [opened, ...more] = await casesOf(content.TransID);
  expect(more).toEqual([]);
  const { kind, case_id: caseId } = must(opened);
  expect(kind).toBe('receipt_reversed');
  const terms = { amount_cents: null, operator_reference: null, message: null, details: null };
  const proposal = { resolution: 'take_back', note: 'as Safaricom says', ...terms };
  await proposeResolution(deps, { caseId, by: 'Asha', proposal });
  await approveCurrent(deps, { caseId, by: 'Baraka' });
  expect(await vendor.balance()).toBe(0);
  // If the income was not moved into the float yet, it goes back, and the vendor owes nothing.
  const waiting = confirmation({ BillRefNumber: account });
  await post(waiting);
  await post({ ...waiting, TransactionType: 'Pay Bill Reversal' });
  const [later] = await casesOf(waiting.TransID);
  const { case_id: laterId } = must(later);
  await proposeResolution(deps, { caseId: laterId, by: 'Asha', proposal });
  await approveCurrent(deps, { caseId: laterId, by: 'Baraka' });
  const { vendorId } = must(await findVendor(pool, vendor.vid));
  expect(await readBalance(pool, vendorId, 'collected')).toBe(0n);
  expect(await readBalance(pool, vendorId, 'exposure')).toBe(0n);
});

test('the ledger is consistent afterwards, except for the row that was inserted by SQL', async () => {
  const report = await checkLedger(running.service.pool, { mac: deps.ledgerMac });
  expect(report.violations).toEqual([
    {
      invariant: 'receipts_authentic',
      vendorId: expect.any(Number),
      detail: expect.stringContaining('FORGED0001'),
    },
  ]);
  expect(await pullNow()).toBeGreaterThan(0);
});
