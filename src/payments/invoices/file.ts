import { Readable } from 'node:stream';
import type { WireTime } from '../../platform/base/clock.ts';
import { rendered } from '../../platform/documents/rendered.ts';
import { csvOf } from '../../platform/export/csv.ts';
import { invoiceDocument, invoiceTable } from './document.ts';
import { numberText } from './invoice.ts';
import type { InvoiceFormat } from './invoice.ts';
import type { Invoice } from './read-invoices.ts';

/** An invoice as a file. */
export async function invoiceFile(
  invoice: Invoice,
  format: InvoiceFormat,
  wireTime: WireTime,
): Promise<{ readonly name: string; readonly type: string; readonly body: Readable }> {
  if (format === 'csv') {
    const body = Readable.from(csvOf(invoiceTable(invoice), wireTime));
    return { name: `${numberText(invoice)}.csv`, type: 'text/csv; charset=utf-8', body };
  }
  const document = invoiceDocument(invoice, wireTime, await modulesOf(invoice.qrCode));
  const { type, ending, content } = await rendered(document, format);
  return { name: `${numberText(invoice)}.${ending}`, type, body: Readable.from([content]) };
}

async function modulesOf(text: string | null): Promise<boolean[][] | null> {
  if (text === null) return null;
  // Loaded when the first code is drawn.
  const { encodeQR } = await import('qr');
  return encodeQR(text, 'raw', { ecc: 'medium' });
}
