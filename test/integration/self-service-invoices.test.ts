import { afterAll, beforeAll, expect, test } from 'vitest';
import { setControl } from '../../src/payments/invoices/control.ts';
import { setWebhook } from '../../src/payments/events/administer.ts';
import { createMac } from '../../src/platform/base/mac.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { createServiceDatabase, startInProcess } from '../support/in-process-service.ts';
import type { InProcessService } from '../support/in-process-service.ts';
import { SelfServiceClient } from '../support/self-service-client.ts';
import { until } from '../support/until.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';
import type { WebhookReceiver } from '../support/webhook-receiver.ts';
import { createFixtures } from './staff/fixtures.ts';

let database: TestDatabase;
let running: InProcessService;
let receiver: WebhookReceiver;

beforeAll(async () => {
  database = await createServiceDatabase();
  running = await startInProcess(database.url, { environment: { ROLES: 'api,jobs' } });
  receiver = await startWebhookReceiver();
});
afterAll(async () => {
  await running.stop();
  await receiver.close();
  await database.drop();
});

const programOf = (vid: 'demo' | 'demo2'): SelfServiceClient =>
  new SelfServiceClient(running.origin, running.demo(vid));

test('a vendor gets its invoice as JSON, PDF and CSV, and an event, once the control unit was heard', async () => {
  const { pool, directory } = running.service;
  const vendor = directory.vendor('demo');
  if (vendor === undefined) throw new Error('no demo');
  const sealing = async () => running.sealing;
  await setWebhook(pool, vendor, { url: receiver.url, allowsPrivate: true, sealing });
  const { masterKeys } = running.sealing;
  const invoice = await createFixtures(pool, masterKeys).addInvoice();
  const path = { invoice };
  const program = programOf('demo');
  expect((await program.ask('listInvoices')).items).toEqual([]);
  expect((await program.refused('getInvoice', { path })).status).toBe(404);

  const said = { controlNumber: 'KRACU1/7', qrCode: 'https://q.example/7', by: 'till' };
  await setControl({ pool, ledgerMac: createMac(Buffer.alloc(32)) }, invoice, said);
  const { items } = await program.ask('listInvoices');
  expect(items).toMatchObject([{ invoice, number: 'INV-000001', control_number: 'KRACU1/7' }]);
  const whole = await program.ask('getInvoice', { path });
  expect(whole).toMatchObject({
    vat_cents: '16',
    total_cents: '116',
    seller: { pin: 'P051234567X' },
  });
  const pdf = await program.send('exportInvoicePdf', { path });
  expect(pdf.headers['content-type']).toBe('application/pdf');
  expect(pdf.text.startsWith('%PDF-')).toBe(true);
  const csv = await program.send('exportInvoiceCsv', { path });
  expect(csv.text).toContain('Control unit number');

  await until('the event is delivered', () => receiver.calls.length > 0);
  expect(receiver.calls[0]?.event).toMatchObject({
    ...{ type: 'invoice.issued', data: { vid: 'demo', invoice, total: '1.16', kind: 'invoice' } },
  });

  const other = programOf('demo2');
  expect((await other.ask('listInvoices')).items).toEqual([]);
  expect((await other.refused('exportInvoicePdf', { path })).status).toBe(404);
});
