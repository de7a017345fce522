import { buffer, text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { qrDrawing, ROUNDING } from '../../../../src/payments/invoices/document.ts';
import { invoiceFile } from '../../../../src/payments/invoices/file.ts';
import type { InvoiceContent } from '../../../../src/payments/invoices/invoice.ts';
import type { Invoice } from '../../../../src/payments/invoices/read-invoices.ts';
import { createWireTime } from '../../../../src/platform/base/clock.ts';

const wireTime = createWireTime('Africa/Nairobi');
const CONTENT: InvoiceContent = {
  seller: { legal_name: 'Malipo Ltd', pin: 'P051234567X', address: 'Nairobi' },
  buyer: { vid: 'duka', legal_name: 'Duka Ltd', pin: 'P000000001A', address: 'Kisumu' },
  currency: 'KES',
  ...{ from: '2026-10-31T21:00:00.000Z', to: '2026-11-30T21:00:00.000Z' },
  ...{ credits: null, payment: null, needs_control: true },
  lines: [
    {
      ...{ biller: 'kplc', excise_percent: '15', vat_percent: '16', payments: 2 },
      ...{ net: '2.00', excise: '0.30', vat: '0.36', total: '2.66' },
    },
    {
      ...{ biller: 'dstv', excise_percent: '0', vat_percent: '0', payments: 1 },
      ...{ net: '0.25', excise: '0.00', vat: '0.00', total: '0.25' },
    },
  ],
};

const invoice = (given: Partial<Invoice> = {}): Invoice => ({
  ...{ invoiceId: '0', run: 1, series: 'INV', number: 42n, vendorId: 7, credits: null },
  ...{ issuedAt: new Date('2026-11-30T21:00:05Z'), paymentId: null },
  ...{ netCents: 225n, exciseCents: 30n, vatCents: 36n, content: JSON.stringify(CONTENT) },
  ...{ controlNumber: 'KRACU1/42', qrCode: 'https://etims.example/42' },
  ...{ controlledAt: new Date('2026-11-30T21:05:00Z'), waits: false },
  ...given,
});

const written = async (of: Invoice, format: 'text' | 'csv' | 'html'): Promise<string> =>
  await text((await invoiceFile(of, format, wireTime)).body);

test('an invoice names both parties, its taxes, how they are rounded, and the control unit', async () => {
  const words = await written(invoice(), 'text');
  for (const part of ['Tax invoice INV-000042', 'Malipo Ltd', 'P000000001A', ROUNDING]) {
    expect(words).toContain(part);
  }
  expect(words).toContain('from 2026-11-01 00:00:00 until 2026-12-01 00:00:00');
  // VAT is charged on the fee with its excise duty, and the last line has none.
  expect(words).toContain('Taxable for VAT: 2.30');
  expect(words).toContain('0.36 (16 %)');
  expect(words).toContain('Control unit invoice number: KRACU1/42');
  expect(words).toContain('QR code: https://etims.example/42');
});

test('an invoice without its control unit number says that it is no tax invoice yet', async () => {
  const words = await written(invoice({ controlNumber: null, qrCode: null, waits: true }), 'text');
  expect(words).toContain('not a tax invoice yet');
});

test('a credit note names its invoice', async () => {
  const content = JSON.stringify({ ...CONTENT, credits: 'INV-000007' });
  const words = await written(invoice({ series: 'CN', credits: '1', content }), 'text');
  expect(words).toContain('Credit note CN-000042');
  expect(words).toContain('Credits invoice: INV-000007');
});

test('the table of an invoice has a row for each line, with plain amounts', async () => {
  const [titles, ...rows] = (await written(invoice(), 'csv'))
    .replace('\ufeff', '')
    .trim()
    .split('\r\n');
  expect(titles).toContain('Fee,Excise duty,VAT,Total');
  expect(rows).toHaveLength(2);
  expect(rows[0]).toContain(',15,16,2.00,0.30,0.36,2.66,KRACU1/42,https://etims.example/42');
});

test('an invoice is a PDF of one page, and its code is drawn', async () => {
  const { name, type, body } = await invoiceFile(invoice(), 'pdf', wireTime);
  expect([name, type]).toEqual(['INV-000042.pdf', 'application/pdf']);
  const bytes = await buffer(body);
  expect(bytes.subarray(0, 5).toString('latin1')).toBe('%PDF-');
  expect(bytes.toString('latin1').match(/\/Type \/Page\b(?!s)/g)).toHaveLength(1);
  expect(await written(invoice(), 'html')).toContain('<svg');
});

test('the boxes of a code are its dark modules', () => {
  const { shapes, width } = qrDrawing([
    [true, true, false],
    [false, false, false],
    [true, false, true],
  ]);
  expect(width).toBe(9);
  expect(shapes).toEqual([
    { kind: 'box', x: 0, y: 0, width: 6, height: 3, colour: '#000000' },
    { kind: 'box', x: 0, y: 6, width: 3, height: 3, colour: '#000000' },
    { kind: 'box', x: 6, y: 6, width: 3, height: 3, colour: '#000000' },
  ]);
});
