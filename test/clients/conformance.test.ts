import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rotateSecret, setWebhook } from '../../src/payments/events/administer.ts';
import { findVendor } from '../../src/parties/read-vendors.ts';
import { addFundedVendor, fresh } from '../support/demo-vendors.ts';
import { SandboxFixture } from '../support/sandbox.ts';
import type { Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';
import type { VendorClient } from '../support/vendor-client.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';
import { CLIENTS_HERE, startDriver } from './driver.ts';
import type { Driver, Given } from './driver.ts';

// What a client must do, against the real service. The same list for every client.

const fixture = new SandboxFixture();
afterAll(async () => await fixture.cleanUp());

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await fixture.start();
}, 180_000);

interface PaymentState {
  readonly reference: string;
  readonly status: string;
  readonly details: Readonly<Record<string, string>>;
}

interface PaymentPage {
  readonly items: readonly PaymentState[];
  readonly nextCursor: string | null;
}

interface Statement {
  readonly head: { readonly count: number; readonly closingCents: number };
  readonly items: readonly { readonly balanceCents: number }[];
}

interface Progress {
  readonly status: string;
}

const bill = (suffix: string, more: Given = {}): Given => ({
  billerName: 'kplc_prepaid',
  account: `3720000${suffix}`,
  amountCents: 10_050,
  merchantReference: fresh('order'),
  ...more,
});

const customer = (more: Given = {}): Given => ({
  name1: 'Amani',
  name2: 'Baraka',
  name3: 'Wanjiru',
  nationalID: '900000001',
  requestReference: fresh('ENQ').replaceAll('-', ''),
  ...more,
});
const enquiryAbout = (more: Given = {}): Given => ({ ...customer(more), reportReason: 2 });
const scoreOf = (more: Given = {}): Given => ({ ...enquiryAbout(more), reportSector: 2 });

// They mostly wait for payments, so all clients are tested at the same time.
describe.concurrent.each(CLIENTS_HERE)('$title', ({ name, runs }) => {
  let driver: Driver;
  let vendor: VendorClient;
  const open = async (more: Given = {}): Promise<void> => {
    await driver.value('open', { url: sandbox.origin, vid: vendor.vid, key: vendor.key, ...more });
  };
  beforeAll(async () => {
    if (!runs) return;
    vendor = await addFundedVendor(sandbox, { floatAmount: '5000.00', sector: 'bank' });
    driver = startDriver(name);
    const collector = { collector: 'demo-collector', key: 'demo-collector-key' };
    await driver.value('openCollector', { url: sandbox.origin, ...collector });
    await open();
  }, 60_000);
  afterAll(async () => {
    if (runs) await driver.end();
  });

  const only = test.skipIf(!runs).sequential;

  only('reports income, once, and funds it', async () => {
    const income = { vid: vendor.vid, reference: fresh('till'), amountCents: 12_345 };
    const given = { ...income, paidAt: '2026-01-05T09:00:00.000Z' };
    const collected = await driver.value('collect', given);
    expect(collected).toMatchObject({ moved: true, amountCents: 12_345 });
    expect(await driver.value('collect', given)).toEqual({ ...collected, replayed: true });
    const before = await driver.value<number>('balance');
    expect(await driver.value('fund')).toMatchObject({ moved: true, amountCents: 12_345 });
    expect(await driver.value('balance')).toBe(before + 12_345);
    expect(await driver.value('fund')).toMatchObject({
      moved: false,
      amountCents: 0,
      reference: '',
    });
  });

  only('shows billers', async () => {
    const billers = await driver.value<readonly Record<string, unknown>[]>('listBillers');
    const biller = billers.find(({ code }) => code === 'kplc_prepaid');
    expect(biller).toMatchObject({ minimumCents: 5_000, maximumCents: null, canValidate: true });
    const billerCode = 'kplc_prepaid';
    expect(await driver.value('billerStatus', { billerCode })).toEqual({
      ...biller,
      status: 'ONLINE',
    });
    expect(await driver.value('billerProducts', { billerCode })).toMatchObject({ billerCode });
    const error = await driver.error('billerStatus', { billerCode: 'nobody' });
    expect(error).toMatchObject({ type: 'Refused', code: 'unknown_biller', status: 404 });
  });

  only('looks up a prefix and validates accounts', async () => {
    expect(await driver.value('lookup', { prefix: '722' })).toEqual({
      prefix: '722',
      operator: 'safaricom',
    });
    const account = { accountType: 'nairobi_water', phone: '+254 722 000 000' };
    expect(await driver.value('validate', { ...account, account: '41001' })).toMatchObject({
      valid: true,
      text: 'SUCCESS',
    });
    expect(await driver.value('validate', { ...account, account: '4109902' })).toMatchObject({
      valid: false,
      name: null,
    });
  });

  only('pays, and returns the token', async () => {
    const before = await driver.value<number>('balance');
    const given = bill('9901');
    const paid = await driver.value<PaymentState>('pay', given);
    expect(paid).toMatchObject({
      status: 'SUCCESS',
      amountCents: 10_050,
      merchantReference: given['merchantReference'],
      failureCode: null,
      details: { token: expect.stringMatching(/^\d{20}$/) },
    });
    expect(await driver.value('balance')).toBe(before - 10_050);
    const { reference } = paid;
    expect(await driver.value('status', { reference })).toEqual(paid);
    const { merchantReference } = given;
    expect(await driver.value('status', { merchantReference })).toEqual(paid);
    // The same again is the same payment.
    expect(await driver.value('pay', given)).toEqual(paid);
    const truth = await sandbox.truth();
    expect(truth.filter((entry) => entry.reference === reference)).toHaveLength(1);
  });

  only('pays where the result comes by callback, and where the operator is silent', async () => {
    expect(await driver.value('pay', bill('9905'))).toMatchObject({ status: 'SUCCESS' });
    expect(await driver.value('pay', bill('9903'))).toMatchObject({ status: 'SUCCESS' });
  });

  only('returns a failed payment', async () => {
    const failed = await driver.value('pay', bill('9902'));
    expect(failed).toMatchObject({ status: 'FAILED', failureCode: 'declined', details: {} });
  });

  only('does not call a payment failed that is not final', async () => {
    const given = bill('9909');
    const error = await driver.error('pay', { ...given, waitForMs: 500 });
    expect(error).toMatchObject({ type: 'OutcomeUnknown', code: 'not_final' });
    expect(['QUEUED', 'PENDING']).toContain(error.payment?.['status']);
    const again = await driver.error('pay', { ...given, waitForMs: 0 });
    expect(again.reference).toBe(error.payment?.['reference']);
  });

  only('creates once for each reference', async () => {
    const given = bill('0001');
    const created = await driver.value('createPayment', given);
    expect(created).toMatchObject({ replayed: false, feeCents: 0 });
    expect(await driver.value('createPayment', given)).toEqual({ ...created, replayed: true });
    const other = await driver.error('createPayment', { ...given, amountCents: 20_000 });
    const { reference } = created;
    expect(other).toMatchObject({
      type: 'Refused',
      code: 'reference_reused',
      status: 409,
      reference,
    });
  });

  only.each([
    ['insufficient_float', { amountCents: 99_999_999 }, 'amount', 402],
    ['amount_below_minimum', { amountCents: 100 }, 'amount', 400],
    ['unknown_biller', { billerName: 'nobody' }, null, 404],
    ['invalid_field', { account: 'x&y' }, 'account', 400],
    ['ambiguous_value', { account: '1&amount=5' }, 'account', 400],
  ] as const)('is refused with %s', async (code, more, field, status) => {
    const error = await driver.error('createPayment', bill('9901', more));
    expect(error).toMatchObject({ type: 'Refused', code, status, attempts: 1 });
    if (field !== null) expect(error.field).toBe(field);
    expect(error.requestId).toMatch(/^[0-9a-f-]{36}$/);
    expect(error.text).not.toBe('');
  });

  only('is refused with a wrong key', async () => {
    await open({ key: 'wrong' });
    const error = await driver.error('balance');
    expect(error).toMatchObject({ type: 'Refused', code: 'signature_invalid', status: 401 });
    await open();
  });

  only('does not know other references', async () => {
    const error = await driver.error('status', { reference: 'nobody' });
    expect(error).toMatchObject({ type: 'Refused', code: 'unknown_reference', status: 404 });
  });

  only('signs with the hash alone', async () => {
    await open({ signature: 'hash' });
    expect(await driver.value('pay', bill('9901'))).toMatchObject({ status: 'SUCCESS' });
    expect(await driver.value('balance')).toEqual(expect.any(Number));
    const text = 'Moi & Sons, 5 + 6 = 11 % é 😀';
    const enquiry = scoreOf({ physicalAddress: text, postalTown: '' });
    expect(await driver.value('genericScore', enquiry)).toMatchObject({ score: {} });
    await open();
  });

  only('sends payments in one file', async () => {
    const payments = [
      bill('0001', { billerName: 'safaricom', account: '0722 000 001' }),
      bill('0002', { amountCents: 100 }),
      bill('0003', { phone: '254722000003' }),
    ];
    const batchReference = fresh('bulk');
    const sent = await driver.value('bulkCreate', { batchReference, payments });
    expect(sent).toMatchObject({ batchReference, rows: 3 });
    const again = await driver.value('bulkCreate', { batchReference, payments });
    expect(again).toMatchObject({ batchId: sent['batchId'] });
    const done = await until('the batch is done', async () => {
      const now = await driver.value<Progress>('bulkStatus', { batchReference });
      return now.status === 'DONE' && now;
    });
    expect(done).toMatchObject({ accepted: 2, refused: 1 });
    const { results } = await driver.value<{ results: unknown }>('bulkResult', { batchReference });
    expect(results).toMatchObject([
      { row: 1, result: 'ACCEPTED', reference: expect.any(String), code: null },
      { row: 2, result: 'REFUSED', reference: null, code: 'amount_below_minimum', field: 'amount' },
      { row: 3, result: 'ACCEPTED', merchantReference: payments[2]?.['merchantReference'] },
    ]);
    const text = 'biller_name,account,amount,merchant_reference\nsafaricom,254722000009,7,own-1\n';
    const file = { batchReference: fresh('csv'), payments: { text, contentType: 'text/csv' } };
    expect(await driver.value('bulkCreate', file)).toMatchObject({ rows: 1 });
    // Later tests compare lists, which change while payments end. Only the one of 9909 never does.
    type Listed = PaymentState & { readonly merchantReference: string | null };
    await until('every other payment has ended', async () => {
      const all = await driver.value<readonly Listed[]>('listPayments');
      const left = all.filter(({ status }) => status !== 'SUCCESS' && status !== 'FAILED');
      return (
        left.length === 1 &&
        left[0]?.status === 'PENDING' &&
        all.some(({ merchantReference }) => merchantReference === 'own-1')
      );
    });
  });

  only('queries credit information', async () => {
    const score = await driver.value('genericScore', scoreOf());
    expect(score).toMatchObject({
      profile: { fullName: 'Amani Baraka Wanjiru' },
      score: { positiveScore: expect.stringMatching(/^\d+$/) },
    });
    expect(score).not.toHaveProperty('header_status');
    expect(await driver.value('mobileLoanScore', scoreOf())).toMatchObject({
      score: { mobiLoansScore: expect.any(String) },
    });
    const enquiry = enquiryAbout();
    expect(await driver.value('idDecision', enquiry)).toMatchObject({
      summary: { creditActive: 'true' },
    });
    const nobody = await driver.error('idDecision', { ...enquiry, nationalID: '999999999' });
    expect(nobody).toMatchObject({ type: 'Refused', status: expect.any(Number) });
    const { requestReference } = enquiry;
    expect(await driver.value('watch', { requestReference, scoreDrop: 30 })).toMatchObject({
      requestReference,
    });
    expect(await driver.value('unwatch', { requestReference })).toMatchObject({ requestReference });
  });

  only('lists payments, all of them and page by page', async () => {
    const paid = await driver.value<PaymentState>('pay', bill('9901'));
    const all = await driver.value<readonly PaymentState[]>('listPayments');
    expect(all[0]).toMatchObject({
      reference: paid.reference,
      status: 'SUCCESS',
      biller: 'kplc_prepaid',
      amountCents: 10_050,
      createdAt: expect.stringMatching(/^2\d{3}-\d\d-\d\dT/),
    });
    const paged: PaymentState[] = [];
    let cursor: string | null | undefined;
    do {
      const given = { limit: 2, ...(cursor === undefined ? {} : { cursor }) };
      const found = await driver.value<PaymentPage>('listPayments', { page: given });
      paged.push(...found.items);
      cursor = found.nextCursor;
    } while (cursor !== null);
    expect(paged).toEqual(all);
    const failed = await driver.value<PaymentState[]>('listPayments', { status: 'FAILED' });
    expect(failed).toEqual(all.filter(({ status }) => status === 'FAILED'));
    const { reference } = paid;
    expect(await driver.value('listPayments', { reference })).toEqual([all[0]]);
    const record = await driver.value<{ timeline: unknown[] }>('getPayment', { reference });
    expect(record).toMatchObject({ ...all[0], archived: false, details: paid.details });
    expect(record.timeline[0]).toMatchObject({ kind: 'created' });
    const file = await driver.value<string>('exportPayments', { status: 'FAILED' });
    expect(
      file
        .trimEnd()
        .split('\r\n')
        .slice(1)
        .map((line) => line.split(',')[0]),
    ).toEqual(failed.map((one) => one.reference));
    const other = await driver.error('listPayments', { status: 'LOST' });
    expect(other).toMatchObject({ type: 'Refused', code: 'invalid_field', field: 'status' });
  });

  only('reads balance and statement', async () => {
    const { floatCents, reservedCents, collectedCents, heldCents, totalCents } =
      await driver.value<Record<string, number>>('getBalance');
    expect(totalCents).toBe(
      (floatCents ?? 0) + (reservedCents ?? 0) + (collectedCents ?? 0) + (heldCents ?? 0),
    );
    const { head, items } = await driver.value<Statement>('getStatement', { page: { limit: 200 } });
    expect(head).toMatchObject({ openingCents: 0, count: items.length });
    expect(items.at(-1)?.balanceCents).toBe(head.closingCents);
    // Payments may have ended meanwhile.
    const lines = await driver.value<readonly object[]>('getStatement');
    expect(lines.slice(0, head.count)).toEqual(items);
    const file = await driver.value<string>('exportStatement');
    expect(file.split('\r\n').length).toBeGreaterThan(head.count + 3);
    const before = await driver.value('getBalance', { at: '2020-01-01' });
    expect(before).toMatchObject({ at: '2020-01-01T21:00:00.000Z', totalCents: 0 });
  });

  only('sets its webhook, and reads requests, keys, billers and enquiries', async () => {
    const url = 'https://shop.example/events';
    const made = await driver.value<{ secret: string }>('setWebhook', { url });
    expect(made).toMatchObject({ enabled: true, secret: expect.stringMatching(/^whsec_/) });
    const types = ['transaction.failed'];
    expect(await driver.value('setWebhook', { url, types })).toMatchObject({ types, secret: null });
    expect(await driver.value('disableWebhook')).toMatchObject({ enabled: false });
    const rotation = { overlapSeconds: 3_600, idempotencyKey: randomUUID() };
    const rotated = await driver.value('rotateWebhookSecret', rotation);
    expect(await driver.value('rotateWebhookSecret', rotation)).toEqual(rotated);
    expect(await driver.value('getWebhook')).toMatchObject({
      secrets: [{ keyId: rotated['keyId'], isCurrent: true }, { isCurrent: false }],
    });
    expect(await driver.value('listEvents')).toEqual([]);
    const unknown = await driver.error('replayEvent', { eventId: rotated['keyId'] });
    expect(unknown).toMatchObject({ type: 'Refused', code: 'not_found', field: 'event_id' });
    expect(await driver.value('removeWebhook')).toBe(0);
    expect(await driver.value('listKeys')).toMatchObject([{ isCurrent: true, validUntil: null }]);
    expect(await driver.value('describeBiller', { billerCode: 'kplc_prepaid' })).toMatchObject({
      minimumCents: 5_000,
      parameters: { required: ['biller_name', 'account', 'amount'] },
    });
    const [enquiry] = await driver.value<readonly object[]>('listEnquiries');
    expect(enquiry).toMatchObject({ operation: expect.any(String), erased: false });
    const refused = await until('the refusal is in the log', async () => {
      const listed = await driver.value<readonly Record<string, unknown>[]>('listRequests', {
        only: 'refused',
      });
      return listed.find(({ errorCode }) => errorCode === 'not_found');
    });
    expect(refused).toMatchObject({ operation: 'replayEvent', requestId: unknown.requestId });
  });

  only('asks for scores in one file', async () => {
    const batchReference = fresh('scores');
    const customers = [customer(), customer({ nationalID: '999999999' })];
    const batch = { batchReference, product: 'generic-score', reportReason: 3, reportSector: 2 };
    expect(await driver.value('batchScore', { ...batch, customers })).toMatchObject({ rows: 2 });
    await until('the batch is done', async () => {
      const now = await driver.value<Progress>('batchScoreStatus', { batchReference });
      return now.status === 'DONE';
    });
    const result = await driver.value('batchScoreResult', { batchReference });
    expect(result).toMatchObject({
      answered: 1,
      results: [{ result: 'ANSWERED', grade: expect.any(String) }, { result: 'REFUSED' }],
    });
  });

  only('verifies the events that the service sends', async () => {
    const pool = await sandbox.pool();
    const found = await findVendor(pool, vendor.vid);
    if (found === undefined) throw new Error('the vendor is missing');
    const sealing = async () => ({ masterKeys: await sandbox.masterKeys(), certain: false });
    const receiver = await startWebhookReceiver();
    try {
      await setWebhook(pool, found, { url: receiver.url, allowsPrivate: true, sealing });
      const overlapSeconds = 60;
      const secret = await rotateSecret(pool, found, { sealing: await sealing(), overlapSeconds });
      const paid = await driver.value<PaymentState>('pay', bill('9901'));
      const call = await until('the event arrives', () =>
        receiver.calls.find(({ event }) => event.data['ipay_reference'] === paid.reference),
      );
      const { body, headers } = call;
      const given = { secrets: [secret], body, headers, now: new Date().toISOString() };
      expect(await driver.value('verifyWebhook', given)).toMatchObject({
        id: headers['webhook-id'],
        type: 'transaction.succeeded',
        payment: paid,
      });
    } finally {
      await receiver.close();
    }
  });
});
