import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { collect } from '../support/demo-vendors.ts';
import { startInProcess } from '../support/in-process-service.ts';
import type { InProcessService } from '../support/in-process-service.ts';
import { expectRefusal } from '../support/refusals.ts';
import type { Answer } from '../support/vendor-client.ts';

let database: TestDatabase;
let running: InProcessService;
beforeAll(async () => {
  database = await createTestDatabase();
  running = await startInProcess(database.url);
});
afterAll(async () => {
  await running.stop();
  await database.drop();
});

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
