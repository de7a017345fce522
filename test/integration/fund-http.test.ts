import { expect, test } from 'vitest';
import { collect } from '../support/demo-vendors.ts';
import { useService } from '../support/use-service.ts';
import { expectRefusal } from '../support/refusals.ts';
import type { Answer } from '../support/vendor-client.ts';

const running = useService();

function movementOf(answer: Answer) {
  return answer.body.msg as { status: number; amount: number; reference: string };
}

test('four callbacks at once within one second leave nothing behind', async () => {
  const vendor = await running.addVendor();
  const time = '1767603600';
  const answers = await Promise.all(
    ['100.00', '200.00', '300.00', '400.00'].map(async (amount) => {
      expect((await collect(running.origin, { vid: vendor.vid, amount })).status).toBe(200);
      return await vendor.call('fund', { currency: 'KES', time });
    }),
  );
  for (const answer of answers) expect(movementOf(answer).status).toBe(1);
  const moved = new Map(
    answers.map((answer) => [movementOf(answer).reference, movementOf(answer).amount]),
  );
  expect([...moved.values()].reduce((sum, amount) => sum + amount)).toBe(1000);
  expect(await vendor.balance()).toBe(1000);
});

test('two callbacks in one second are one movement, and only its first answer is not marked as a replay', async () => {
  const vendor = await running.addVendor();
  for (const amount of ['100.00', '50.00']) {
    expect((await collect(running.origin, { vid: vendor.vid, amount })).status).toBe(200);
  }
  const params = { currency: 'KES', time: '1767603600' };
  const first = await vendor.call('fund', params);
  const second = await vendor.call('fund', params);
  expect(movementOf(first)).toMatchObject({ status: 1, amount: 150 });
  expect(first.headers).not.toHaveProperty('idempotency-replayed');
  // The same movement, not another one: a program that books each reference once has 150.
  expect(second.text).toBe(first.text);
  expect(second.headers['idempotency-replayed']).toBe('true');
  expect(await vendor.balance()).toBe(150);
});

test('a time that moved money twice is answered with the latest movement', async () => {
  const vendor = await running.addVendor();
  const params = { currency: 'KES', time: '1767603600' };
  const moved: Answer[] = [];
  for (const amount of ['8.00', '9.00']) {
    await collect(running.origin, { vid: vendor.vid, amount });
    moved.push(await vendor.call('fund', params));
  }
  const again = await vendor.call('fund', params);
  expect(again.text).toBe(moved[1]?.text);
  expect(again.headers['idempotency-replayed']).toBe('true');
  const other = await vendor.call('fund', { ...params, time: '1767603601' });
  expect(movementOf(other)).toMatchObject({ status: 0, amount: 0, reference: '' });
  expect(other.headers).not.toHaveProperty('idempotency-replayed');
});

test('a repeated collection is marked as a replay', async () => {
  const { vid } = await running.addVendor();
  const income = { vid, amount: '7.00', reference: 'till-1', paid_at: '1767603600' };
  const first = await collect(running.origin, income);
  const again = await collect(running.origin, income);
  expect(first.headers).not.toHaveProperty('idempotency-replayed');
  expect(again.text).toBe(first.text);
  expect(again.headers['idempotency-replayed']).toBe('true');
});

test('a reference that is present but empty is refused, also where references are optional', async () => {
  const vendor = await running.addVendor();
  const payment = { account: '254722000001', amount: '10.00' };
  for (const form of ['urlencoded', 'json', 'query'] as const) {
    const refused = await vendor.call(
      'create',
      { biller_name: 'safaricom', ...payment, merchant_reference: '' },
      form,
    );
    expectRefusal(refused, { status: 400, code: 'invalid_field', field: 'merchant_reference' });
  }
  expectRefusal(await vendor.create(payment), {
    status: 402,
    code: 'insufficient_float',
    field: 'amount',
  });
});

test('every other currency code is refused alike, whatever its letters', async () => {
  const vendor = await running.addVendor();
  const time = '1767603600';
  for (const currency of ['USD', 'usd', 'kes', 'Kes']) {
    const refused = await vendor.call('fund', { currency, time });
    expectRefusal(refused, { status: 400, code: 'unsupported_currency', field: 'currency' });
    const unreported = await collect(running.origin, { vid: vendor.vid, amount: '7.00', currency });
    expectRefusal(unreported, { status: 400, code: 'unsupported_currency', field: 'currency' });
  }
  for (const currency of ['KE', 'KESH', 'K3S', '404']) {
    const refused = await vendor.call('fund', { currency, time });
    expectRefusal(refused, { status: 400, code: 'invalid_field', field: 'currency' });
  }
});

test('a time may be ISO 8601, with an offset or without, and is the same time in every form', async () => {
  const vendor = await running.addVendor();
  await collect(running.origin, { vid: vendor.vid, amount: '7.00' });
  const first = await vendor.call('fund', { currency: 'KES', time: '2026-01-05T12:00:00+03:00' });
  expect(movementOf(first)).toMatchObject({ status: 1, amount: 7 });
  const same = ['2026-01-05T09:00:00Z', '2026-01-05T12:00:00', '20260105T120000', '20260105T0900Z'];
  for (const time of [...same, '2026-01-05 12:00:00', '1767603600']) {
    const again = await vendor.call('fund', { currency: 'KES', time });
    expect(again.body).toMatchObject({ msg: movementOf(first) });
  }
  const other = await vendor.call('fund', { currency: 'KES', time: '1767603601' });
  expect(movementOf(other)).toMatchObject({ status: 0, amount: 0, reference: '' });
  for (const time of ['2026-01-05T1200', '2026-02-30T12:00:00Z', '2026-01-05']) {
    const refused = await vendor.call('fund', { currency: 'KES', time });
    expectRefusal(refused, { status: 400, code: 'invalid_field', field: 'time' });
  }
});
