import type { Mac } from '../../platform/base/mac.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { databaseTransaction } from '../../platform/db/pool.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { postingTime } from '../../platform/db/posting-time.ts';
import { contentOf } from './invoice.ts';
import { announceIssued } from './issue.ts';
import { findInvoice } from './read-invoices.ts';
import type { Invoice } from './read-invoices.ts';
import { insertControl } from './store.ts';

/**
 * Keeps what the control unit of the tax authority said about an invoice, once, and tells a vendor who has waited for
 * it. The same again changes nothing. Throws: `PlainError` if there is no such invoice, or something else was said of it.
 */
export async function setControl(
  { pool, ledgerMac }: { readonly pool: Pool; readonly ledgerMac: Mac },
  invoiceId: string,
  said: { readonly controlNumber: string; readonly qrCode: string; readonly by: string },
): Promise<Invoice> {
  const { controlNumber, qrCode, by: deliveredBy } = said;
  return await databaseTransaction(pool, async (client) => {
    const row = await findInvoice(client, { invoiceId });
    if (row === undefined)
      throw new PlainError('This invoice does not exist.', { field: 'invoice' });
    const deliveredAt = await postingTime(client);
    const control = { invoiceId, controlNumber, qrCode, deliveredAt, deliveredBy };
    const isNew = await insertControl(client, ledgerMac, control);
    const kept = await findInvoice(client, { invoiceId });
    if (kept?.controlNumber !== controlNumber || kept.qrCode !== qrCode) {
      throw new PlainError('The invoice has another control unit number. It cannot be changed.', {
        field: 'control_number',
      });
    }
    if (isNew && contentOf(row).needs_control) await announceIssued(client, row);
    return kept;
  });
}
