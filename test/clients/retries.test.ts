import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findFreePort } from '../support/service-process.ts';
import { CLIENTS_HERE, startDriver } from './driver.ts';
import type { Driver, Given } from './driver.ts';
import {
  busy,
  cut,
  drip,
  drop,
  hang,
  json,
  ok,
  page,
  payment,
  refuse,
  replayed,
  startScriptedService,
} from './scripted-service.ts';
import type { Reply, ScriptedService } from './scripted-service.ts';

const BILL = {
  billerName: 'kplc_prepaid',
  account: '37200009901',
  amountCents: 10_000,
  merchantReference: 'order-1001',
};

// They mostly wait, so all clients are tested at the same time.
describe.concurrent.each(CLIENTS_HERE)('$title', ({ name, runs }) => {
  let driver: Driver;
  let service: ScriptedService;
  const open = async (more: Given = {}): Promise<void> => {
    const access = { url: service.origin, vid: 'demo', key: 'demo-security-key' };
    await driver.value('open', { ...access, ...more });
  };
  beforeAll(async () => {
    if (!runs) return;
    service = await startScriptedService();
    driver = startDriver(name);
  });
  afterAll(async () => {
    if (!runs) return;
    await driver.end();
    await service.close();
  });

  describe.skipIf(!runs).sequential('repeats', () => {
    test.each<[string, Reply]>([
      ['a dropped connection', drop],
      ['an answer that is cut', cut],
      ['unavailable', busy()],
      ['outcome_unknown', busy('outcome_unknown')],
      ['overloaded', busy('overloaded')],
      ['too_many_requests', busy('too_many_requests')],
      ['internal_error', busy('internal_error')],
      ['a copy that something on the way made', refuse('signature_replayed')],
      ['a proxy’s 502', page(502)],
    ])(
      'repeats a create after %s, with the same content and a new signature',
      async (_, failure) => {
        await open();
        service.play(failure, replayed);
        const created = await driver.value('createPayment', BILL);
        expect(created).toMatchObject({ replayed: true, feeCents: 0 });
        const [first, second, third] = service.arrived;
        expect(third).toBeUndefined();
        expect(first?.params).toMatchObject({ merchant_reference: 'order-1001', amount: '100.00' });
        expect(second?.params).toEqual(first?.params);
        expect(second?.headers['x-signature']).toMatch(/^v2,t=\d+,nonce=\w+,sig=[0-9a-f]{64}$/);
        expect(second?.headers['x-signature']).not.toBe(first?.headers['x-signature']);
      },
    );

    test.each(['', '   '])('no create without a reference: %j is refused', async (empty) => {
      await open();
      service.play(ok);
      const bill = { ...BILL, merchantReference: empty };
      for (const call of ['createPayment', 'pay']) {
        const error = await driver.error(call, bill);
        expect(error.text).toMatch(/^merchant_?[rR]eference is empty/);
      }
      expect(service.arrived).toEqual([]);
    });

    test('a fund whose answer is that of an earlier request, which it says', async () => {
      await open();
      service.play(drop, replayed);
      expect(await driver.value('fund')).toMatchObject({ moved: true, replayed: true });
      service.play(ok);
      expect(await driver.value('fund')).toMatchObject({ moved: true, replayed: false });
    });

    test('repeats a fund with the same time', async () => {
      await open({ signature: 'hash' });
      service.play(drop, busy(), ok);
      expect(await driver.value('fund')).toMatchObject({ moved: true, amountCents: 10_000_000 });
      const [first, second, third] = service.arrived.map(({ params }) => params);
      expect(first).toMatchObject({
        time: expect.stringMatching(/^\d{13}$/),
        hash: expect.anything(),
      });
      expect(second).toEqual(first);
      expect(third).toEqual(first);
    });

    test('repeats a file with the same bytes', async () => {
      await open();
      service.play(drop, ok);
      await driver.value('bulkCreate', { batchReference: 'b 1', payments: [BILL] });
      const [first, second] = service.arrived;
      expect(JSON.parse(first?.body ?? '')).toMatchObject({ amount: '100.00' });
      expect(second?.body).toBe(first?.body);
      expect(second?.params).toEqual(first?.params);
    });
  });

  describe.skipIf(!runs).sequential('does not repeat', () => {
    test.each(['insufficient_float', 'invalid_field', 'reference_reused'] as const)(
      'what is refused: %s',
      async (code) => {
        await open();
        service.play(refuse(code));
        expect(await driver.error('createPayment', BILL)).toMatchObject({
          type: 'Refused',
          code,
          field: 'amount',
          reference: 'EARLIER',
          requestId: '019b76da-c740-7a5e-8b6d-2c90f1d3e457',
          attempts: 1,
        });
        expect(service.arrived).toHaveLength(1);
      },
    );

    test.each([
      ['biller_offline', 'Unavailable'],
      ['scoring_unavailable', 'Unavailable'],
    ] as const)('what seconds do not change: %s', async (code, type) => {
      await open();
      service.play(busy(code));
      expect(await driver.error('createPayment', BILL)).toMatchObject({ type, code, attempts: 1 });
      expect(service.arrived).toHaveLength(1);
    });

    test('an address that is not valid is reported as a mistake of the program', async () => {
      // For PHP’s cURL the second one is an address.
      for (const url of ['pay.example', ...(name.startsWith('php') ? [] : ['pay.example:8080'])]) {
        await open({ url });
        const { type } = await driver.error('createPayment', BILL);
        expect(['Refused', 'Unavailable', 'OutcomeUnknown']).not.toContain(type);
      }
    });

    test('when the service asks to wait for too long', async () => {
      await open();
      service.play(refuse('overloaded', { 'retry-after': '3600' }));
      const error = await driver.error('createPayment', BILL);
      expect(error).toMatchObject({ type: 'Unavailable', code: 'overloaded', attempts: 1 });
    });

    test('a redirect, and does not follow it', async () => {
      await open();
      service.play(page(307, { location: '/elsewhere' }), ok);
      const error = await driver.error('createPayment', BILL);
      expect(error).toMatchObject({ type: 'Refused', code: 'unexpected_answer', status: 307 });
      expect(service.arrived).toHaveLength(1);
    });

    test('a success that it cannot read, which may be an accepted payment', async () => {
      await open();
      service.play((response) => json(response, 200, { header_status: 200, msg: {} }));
      const error = await driver.error('createPayment', BILL);
      expect(error).toMatchObject({
        type: 'OutcomeUnknown',
        code: 'unexpected_answer',
        attempts: 1,
      });
    });
  });

  describe.skipIf(!runs).sequential('says that the outcome is unknown', () => {
    test.each<[string, Reply]>([
      ['no answer', hang],
      ['an answer without end', drip],
      ['a dropped connection', drop],
      ['an answer that is cut', cut],
      ['a page with 200', page(200)],
      ['outcome_unknown', busy('outcome_unknown')],
    ])('the outcome is unknown after %s', async (_, failure) => {
      await open({ timeoutMs: 300, retryForMs: 0 });
      service.play(failure);
      const error = await driver.error('createPayment', BILL);
      expect(error).toMatchObject({ type: 'OutcomeUnknown', attempts: 1 });
    });

    test('the outcome is unknown if an attempt without an answer comes before a refusal', async () => {
      await open();
      service.play(drop, refuse('insufficient_float'));
      expect(await driver.error('createPayment', BILL)).toMatchObject({
        type: 'OutcomeUnknown',
        code: 'insufficient_float',
        attempts: 2,
        cause: { type: 'Refused' },
      });
    });

    test('the outcome is known if the reference belongs to another payment', async () => {
      await open();
      service.play(drop, refuse('reference_reused'));
      const error = await driver.error('createPayment', BILL);
      expect(error).toMatchObject({ type: 'Refused', attempts: 2 });
    });

    test('the outcome is unknown if an attempt without an answer comes before one that accepted nothing', async () => {
      await open();
      service.play(drop, refuse('unavailable', { 'retry-after': '3600' }));
      const error = await driver.error('createPayment', BILL);
      expect(error).toMatchObject({ type: 'OutcomeUnknown', code: 'unavailable', attempts: 2 });
    });

    test('reports the outcome of a reference that a restored service does not know as unknown', async () => {
      await open();
      service.play(refuse('quarantine', { 'retry-after': '60' }));
      const error = await driver.error('status', { merchantReference: 'order-1' });
      expect(error).toMatchObject({ type: 'OutcomeUnknown', code: 'quarantine' });
    });
  });

  describe.skipIf(!runs).sequential('says that nothing was accepted', () => {
    test('nothing was accepted if nobody listens', async () => {
      await open({ url: `http://127.0.0.1:${await findFreePort()}`, retryForMs: 0 });
      const error = await driver.error('createPayment', BILL);
      // A PSR-18 client does not tell whether it sent the request.
      const expected =
        name === 'php with PSR-18'
          ? { type: 'OutcomeUnknown', code: 'no_answer' }
          : { type: 'Unavailable', code: 'not_connected' };
      expect(error).toMatchObject({ ...expected, attempts: 1 });
    });

    test('nothing was accepted if the service is unavailable', async () => {
      await open({ retryForMs: 0 });
      service.play(refuse('unavailable', { 'retry-after': '5' }));
      const error = await driver.error('createPayment', BILL);
      expect(error).toMatchObject({ type: 'Unavailable', code: 'unavailable', status: 503 });
    });

    test('nothing was accepted if a read gets no answer', async () => {
      await open({ retryForMs: 0 });
      service.play(drop);
      const error = await driver.error('balance');
      expect(error).toMatchObject({ type: 'Unavailable', code: 'no_answer' });
    });
  });

  describe.skipIf(!runs).sequential('pay', () => {
    test('waits for the final state, whatever happens to the queries', async () => {
      await open();
      service.play(drop, ok, payment('QUEUED'), drop, busy(), payment('SUCCESS'));
      const paid = await driver.value('pay', BILL);
      expect(paid).toMatchObject({ status: 'SUCCESS', details: { units: '4.00' } });
      expect(paid).toMatchObject({ detailsPending: false });
      const creates = service.arrived.filter(({ path }) => path === '/transaction/create');
      expect(creates.map(({ params }) => params['merchant_reference'])).toEqual([
        'order-1001',
        'order-1001',
      ]);
    });

    test('a payment whose token follows is paid, and says so', async () => {
      await open();
      service.play(ok, payment('SUCCESS', { details: null, details_pending: true }));
      expect(await driver.value('pay', BILL)).toMatchObject({ details: {}, detailsPending: true });
    });

    test('returns a failed payment', async () => {
      await open();
      service.play(ok, payment('FAILED'));
      expect(await driver.value('pay', BILL)).toMatchObject({ status: 'FAILED' });
    });

    test('does not take an accepted payment for refused', async () => {
      await open();
      service.play(ok, payment('PENDING'), refuse('vendor_suspended'));
      expect(await driver.error('pay', BILL)).toMatchObject({
        type: 'OutcomeUnknown',
        code: 'vendor_suspended',
        payment: { status: 'PENDING' },
        cause: { type: 'Refused' },
      });
    });

    test('says what it knows when it does not wait any longer', async () => {
      await open();
      service.play(ok, payment('SOMETHING_NEW'));
      const error = await driver.error('pay', { ...BILL, waitForMs: 100 });
      expect(error).toMatchObject({
        type: 'OutcomeUnknown',
        code: 'not_final',
        payment: { status: 'SOMETHING_NEW' },
      });
      expect(error.reference).toBe(error.payment?.['reference']);
    });

    test('does not wait for what was not accepted', async () => {
      await open();
      service.play(refuse('insufficient_float'));
      expect(await driver.error('pay', BILL)).toMatchObject({ type: 'Refused' });
      expect(service.arrived).toHaveLength(1);
    });
  });
});
