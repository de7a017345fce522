import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SANDBOX_OPERATOR_KEY } from '../../sandbox/operators/options.ts';
import { checkLedger } from '../../src/payments/audit/check.ts';
import { demoVendor, fresh } from '../support/demo-vendors.ts';
import { expectRefusal } from '../support/refusals.ts';
import { SandboxFixture } from '../support/sandbox.ts';
import type { Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';
import { PATHS, VendorClient, send } from '../support/vendor-client.ts';
import type { Answer, Params } from '../support/vendor-client.ts';

const fixture = new SandboxFixture();
let sandbox: Sandbox;
/** A client for the prefix look-ups. */
let vendor: VendorClient;
beforeAll(async () => {
  sandbox = await fixture.start({
    env: { BASE_PATH: '/pay', BILLING_PATH: '/v1/ipay-billing', SCORING_PATH: '/crb' },
  });
  vendor = new VendorClient(sandbox.origin, {
    vid: 'demo',
    key: 'demo-security-key',
    basePath: '/pay',
    billingPath: '/v1/ipay-billing',
    scoringPath: '/crb',
  });
  await vendor.fund();
});
afterAll(async () => await fixture.cleanUp());

const withReference = (params: Params): Params => ({
  ...params,
  merchant_reference: fresh('order'),
});

describe('prefixes', () => {
  test('every operation has the prefixes, without exception', async () => {
    const reference = await vendor.accepted(withReference({ account: '254722000001' }));
    expect((await vendor.call('status', { reference })).status).toBe(200);
    expect((await vendor.call('list')).status).toBe(200);
    const enquiry = { nationalID: '900000001', requestReference: 'PREFIX1', reportReason: '2' };
    expect((await vendor.call('idDecision', enquiry)).status).toBe(200);
    for (const operation of Object.keys(PATHS) as (keyof typeof PATHS)[]) {
      const answer = await demoVendor(sandbox).call(operation);
      expectRefusal(answer, { status: 404, code: 'unknown_path' });
    }
  });

  test('both the description and the banner show the prefixes', async () => {
    const answer = await send(sandbox.origin, { method: 'GET', path: '/openapi.json' });
    const paths = Object.keys((JSON.parse(answer.text) as { paths: object }).paths);
    expect(paths).toEqual(
      expect.arrayContaining([
        '/pay/payments/v2/billing/fund',
        '/v1/ipay-billing/transaction/create',
        '/crb/id-decision',
      ]),
    );
    const { stdout } = sandbox.process;
    expect(stdout).toContain(`${sandbox.origin}/pay/payments/v2/billing/fund`);
    expect(stdout).toContain(`${sandbox.origin}/v1/ipay-billing/transaction/create`);
  });

  test('do not block operators’ reports', async () => {
    const reference = await vendor.accepted(withReference({ account: '254722009905' }));
    await until('it is paid', async () => {
      return (await vendor.payment(reference)).transaction_status === 'SUCCESS';
    });
  });
});

/** An operator's report about a payment. */
function paid(reference: string, amount = '60.00'): Readonly<Record<string, unknown>> {
  return {
    status: 'paid',
    reference,
    operator_reference: 'RECEIPT-1',
    amount,
    currency: 'KES',
    message: 'Payment received',
    paid_at: '2026-01-05T09:00:00.000Z',
  };
}

function declined(reference: string): Readonly<Record<string, unknown>> {
  return { status: 'declined', reference, code: 'refused', message: 'The biller said no' };
}

/** Reports like the operator, or with the given mistakes. */
async function report(
  operator: string,
  body: unknown,
  options: { readonly key?: string; readonly at?: Date; readonly sent?: string } = {},
): Promise<Answer> {
  const { key = SANDBOX_OPERATOR_KEY, at = new Date() } = options;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const id = fresh('msg');
  return await send(sandbox.origin, {
    method: 'POST',
    path: `/callbacks/${operator}`,
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(key).sign(id, at, text),
    },
    body: options.sent ?? text,
  });
}

describe('an operator’s report', () => {
  const OTHER_KEY = 'whsec_YW5vdGhlciBrZXkgb2YgdHdlbnR5LWZvdXIgYnl0ZXM=';

  /** A payment that the operator never reports by itself. */
  async function silentPayment(): Promise<string> {
    const reference = await vendor.accepted(withReference({ account: '254722009909' }));
    await until('it is sent', async () => (await statusOf(reference)) === 'PENDING');
    return reference;
  }
  const statusOf = async (reference: string): Promise<string> =>
    (await vendor.payment(reference)).transaction_status;
  const unmatched = async (reference: string): Promise<number> => {
    const pool = await sandbox.pool();
    const found = await pool.query('select 1 from unmatched_callbacks where reference = $1', [
      reference,
    ]);
    return found.rowCount ?? 0;
  };

  test('settles its payment, once', async () => {
    const reference = await silentPayment();
    for (const _ of [1, 2, 3]) {
      expect((await report('safaricom', paid(reference))).status).toBe(200);
    }
    expect(await vendor.payment(reference)).toMatchObject({
      transaction_status: 'SUCCESS',
      biller_reference: 'RECEIPT-1',
    });
    expect((await checkLedger(await sandbox.pool())).violations).toEqual([]);
  });

  test('an operator’s report that the payment was not made returns the money', async () => {
    const before = await vendor.balance();
    const reference = await silentPayment();
    expect(await vendor.balance()).toBe(before - 60);
    expect((await report('safaricom', declined(reference))).status).toBe(200);
    expect(await statusOf(reference)).toBe('FAILED');
    expect(await vendor.balance()).toBe(before);
  });

  test('a report that contradicts the first one becomes a case, and does not change the payment', async () => {
    const reference = await silentPayment();
    await report('safaricom', paid(reference));
    const before = await vendor.payment(reference);
    expect((await report('safaricom', declined(reference))).status).toBe(200);
    expect(await vendor.payment(reference)).toEqual(before);
    const pool = await sandbox.pool();
    const cases = await pool.query<{ kind: string }>('select kind from cases');
    expect(cases.rows.map((row) => row.kind)).toContain('contradiction');
  });

  test('a report with an invalid signature is refused', async () => {
    const reference = await silentPayment();
    const body = paid(reference);
    const long = (minutes: number): Date => new Date(Date.now() + minutes * 60_000);
    const refused = [
      await report('safaricom', body, { key: OTHER_KEY }),
      await report('safaricom', body, { at: long(-10) }),
      await report('safaricom', body, { at: long(10) }),
      await report('safaricom', body, { sent: JSON.stringify(paid(reference, '70.00')) }),
      await report('safaricom', body, { sent: `${JSON.stringify(body)} ` }),
      await send(sandbox.origin, {
        method: 'POST',
        path: '/callbacks/safaricom',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
      await send(sandbox.origin, { method: 'POST', path: '/callbacks/safaricom' }),
    ];
    expect(refused.map((answer) => answer.status)).toEqual(refused.map(() => 401));
    expect(await statusOf(reference)).toBe('PENDING');
    expect(await unmatched(reference)).toBe(0);
  });

  test('a signed report that cannot be read is kept for people, and the operator need not repeat it', async () => {
    const reference = await silentPayment();
    const kept = [
      await report('safaricom', 'not JSON'),
      await report('safaricom', { status: 'paid' }),
      await report('safaricom', ''),
    ];
    expect(kept.map((answer) => answer.status)).toEqual(kept.map(() => 200));
    expect(await statusOf(reference)).toBe('PENDING');
    const pool = await sandbox.pool();
    const { rowCount } = await pool.query("select from unread_messages where sender = 'safaricom'");
    expect(rowCount).toBe(kept.length);
  });

  test('a report from an unknown operator is refused', async () => {
    const reference = await silentPayment();
    for (const operator of ['nobody', '__proto__', 'SAFARICOM', 'safaricom%2f..', 'x'.repeat(90)]) {
      const answer = await report(operator, paid(reference));
      expect([operator, answer.status]).toEqual([operator, 404]);
    }
    const get = await send(sandbox.origin, { method: 'GET', path: '/callbacks/safaricom' });
    expect(get.status).toBe(405);
    expect(await statusOf(reference)).toBe('PENDING');
  });

  test('reports about another operator’s payment are kept, and settle nothing', async () => {
    const reference = await silentPayment();
    for (const body of [paid(reference), declined(reference)]) {
      expect((await report('kplc', body)).status).toBe(200);
    }
    expect(await statusOf(reference)).toBe('PENDING');
    expect(await unmatched(reference)).toBe(2);
    // Its own operator still can.
    expect((await report('safaricom', paid(reference))).status).toBe(200);
    expect(await statusOf(reference)).toBe('SUCCESS');
  });

  test('reports about an unknown reference are kept for a person', async () => {
    for (const reference of ['0'.repeat(32), 'OTHER-SYSTEM-77', 'é'.repeat(20)]) {
      expect((await report('safaricom', paid(reference))).status).toBe(200);
      expect(await unmatched(reference)).toBe(1);
    }
    const tooLarge = await report('safaricom', { ...paid('x'), message: 'x'.repeat(70_000) });
    expect(tooLarge.status).toBe(413);
  });
});
