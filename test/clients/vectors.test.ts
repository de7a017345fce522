import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Webhook } from 'standardwebhooks';
import signatures from '../vectors/signature.json' with { type: 'json' };
import { CLIENTS_HERE, startDriver } from './driver.ts';
import type { Driver } from './driver.ts';
import { amounts, attempts, headerSignatures, times, webhooks } from './vectors.ts';

// `npx vitest run test/clients/vectors.test.ts -u` writes the files again.
describe('the files in test/vectors are what the service’s code computes', () => {
  test.each([
    ['header-signature', headerSignatures],
    ['amounts', amounts],
    ['times', times],
    ['webhooks', webhooks],
    ['attempts', attempts],
  ] as const)('%s.json', async (name, compute) => {
    const text = `${JSON.stringify(compute(), null, 2)}\n`;
    await expect(text).toMatchFileSnapshot(`../vectors/${name}.json`);
  });
});

describe.each(CLIENTS_HERE)('$title', ({ name, runs }) => {
  let driver: Driver;
  beforeAll(() => {
    if (runs) driver = startDriver(name);
  });
  afterAll(async () => {
    if (runs) await driver.end();
  });

  test.skipIf(!runs)('signs parameters', async () => {
    for (const { params, key, text, hash } of signatures.vectors) {
      const parameters = Object.fromEntries(params) as Record<string, string | null>;
      expect(await driver.value('signedText', { parameters })).toBe(text);
      expect(await driver.value('hash', { parameters, key })).toBe(hash);
    }
  });

  test.skipIf(!runs)('signs whole requests', async () => {
    for (const { name: _, header, ...request } of headerSignatures()) {
      expect(await driver.value('headerSignature', request)).toBe(header);
    }
  });

  test.skipIf(!runs)('reads and writes amounts', async () => {
    const { amounts: known, refused } = amounts();
    for (const { text, cents, decimal, number } of known) {
      expect(await driver.value('centsOf', { amount: text })).toBe(cents);
      expect(await driver.value('centsOf', { amount: number })).toBe(cents);
      expect(await driver.value('decimalOf', { cents })).toBe(decimal);
    }
    for (const amount of refused) {
      expect(await driver.error('centsOf', { amount }), amount).toBeDefined();
    }
    for (const cents of [-1, 100.5, 100_000_000_000_000]) {
      expect(await driver.error('decimalOf', { cents }), String(cents)).toBeDefined();
    }
  });

  test.skipIf(!runs)('reads times', async () => {
    const { times: known, refused } = times();
    for (const { text, instant } of known) {
      expect(await driver.value('timeOf', { text })).toBe(instant);
    }
    for (const text of refused) expect(await driver.error('timeOf', { text }), text).toBeDefined();
  });

  test.skipIf(!runs)('verifies events', async () => {
    const { event, cases } = webhooks();
    for (const { name: title, valid, ...given } of cases) {
      const { value, error } = await driver.call('verifyWebhook', given);
      if (valid) expect(value, title).toMatchObject({ id: event.id, timestamp: event.timestamp });
      else expect(error?.type, title).toBe('WebhookInvalid');
    }
    const [valid] = cases;
    expect(await driver.value('verifyWebhook', { ...valid })).toMatchObject({
      type: event.type,
      data: { vid: 'acme', details: event.data.details },
      payment: {
        reference: event.data.ipay_reference,
        merchantReference: 'order-1',
        status: 'SUCCESS',
        amountCents: 10_050,
        postedTime: '2026-01-05T09:00:02.000Z',
        details: event.data.details,
        detailsPending: false,
      },
    });
  });

  test.skipIf(!runs)('makes test events that are signed as the service signs', async () => {
    const { event, cases } = webhooks();
    const secret = cases[0]?.secrets[0] ?? '';
    const now = '2026-01-05T09:00:03.512Z';
    const given = { secret, type: event.type, data: event.data, id: event.id, timestamp: now };
    const made = await driver.value<{ body: string; headers: Record<string, string> }>(
      'signTestEvent',
      given,
    );
    const verified = await driver.value('verifyWebhook', { secrets: [secret], now, ...made });
    expect(verified).toMatchObject({ ...event, payment: { status: 'SUCCESS' } });
    const byTheLibrary = new Webhook(secret).sign(event.id, new Date(now), made.body);
    expect(made.headers['webhook-signature']).toBe(byTheLibrary);
    expect(JSON.parse(made.body)).toEqual({ type: event.type, timestamp: now, data: event.data });
  });

  test.skipIf(!runs)('knows what each answer means', async () => {
    const found = [];
    for (const { name: title, attempt, form } of attempts()) {
      const given = { attempt, ...(form && { form }) };
      const write = await driver.value('judge', { ...given, effect: 'write' });
      const read = await driver.value('judge', { ...given, effect: 'read' });
      const retry = await driver.value('isRetried', { ...given, effect: 'write' });
      found.push({ name: title, write, read, retry });
    }
    expect(found).toEqual(
      attempts().map(({ name: title, write, read, retry }) => ({
        name: title,
        write,
        read,
        retry,
      })),
    );
  });
});
