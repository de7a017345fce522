import { pino } from 'pino';
import { createDarajaSource } from '../../src/connectors/sources/daraja/source.ts';
import { setSource } from '../../src/payments/receipts/administer.ts';
import { createReceiptReceiver } from '../../src/payments/receipts/receiver.ts';
import type { ProviderAnswer } from '../../src/payments/receipts/receiver.ts';
import type { OpenSource } from '../../src/payments/receipts/sources.ts';
import { findSource } from '../../src/payments/receipts/sources-store.ts';
import { DARAJA_KEY, SHORT_CODE } from './money-in.ts';
import { COLLECTOR } from './money-fixture.ts';
import type { Books } from './money-fixture.ts';

export const PAYBILL = 'paybill';
const CALLBACK_URL = `https://bank.example/receipts/${PAYBILL}`;
const ADDRESS = '196.201.214.200';

export interface DarajaBooks {
  readonly source: OpenSource;
  /** A call of the provider on the URL of confirmations, or of another kind. */
  receive(
    body: Buffer | object,
    by?: { readonly kind?: 'confirmation' | 'validation'; readonly address?: string },
  ): Promise<ProviderAnswer>;
  close(): Promise<void>;
}

/**
 * A pay bill of the books, whose messages are read as the service reads them.
 * @param by.isKnown the source was added before.
 */
export async function openDarajaBooks(
  books: Books,
  by: { readonly isKnown?: boolean } = {},
): Promise<DarajaBooks> {
  const settings = { base_url: 'https://127.0.0.1', short_code: SHORT_CODE };
  const added = { name: 'Pay bill', kind: 'daraja' as const, collector: COLLECTOR, settings };
  if (by.isKnown !== true) await setSource(books.pool, PAYBILL, added);
  const provider = createDarajaSource({
    ...{ sourceCode: PAYBILL, settings, secret: DARAJA_KEY, callbackUrl: CALLBACK_URL },
    pathSecrets: [{ secret: 'paths', validUntil: null }],
  });
  const row = await findSource(books.pool, PAYBILL);
  if (row === undefined) throw new Error('there is no source');
  const source = { row, provider };
  const receiver = createReceiptReceiver({
    ...{ ...books, log: pino({ level: 'silent' }) },
    sources: { source: () => source } as never,
    directory: { vendorById: () => undefined },
  });
  return {
    source,
    receive: async (body, { kind = 'confirmation', address = ADDRESS } = {}) =>
      await receiver.receive({
        sourceCode: PAYBILL,
        path: provider.urls[kind].slice(CALLBACK_URL.length + 1),
        address,
        body: Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body)),
      }),
    close: async () => await provider.close(),
  };
}

/** A confirmation as Daraja sends it. */
export const c2bBody = (change: Readonly<Record<string, unknown>> = {}) => ({
  ...{ TransactionType: 'Pay Bill', TransID: 'UAUNREAD01', TransTime: '20260105101530' },
  ...{ TransAmount: '500.00', BusinessShortCode: SHORT_CODE, BillRefNumber: 'V001' },
  ...{ MSISDN: '2547 ***** 001', FirstName: 'TEST' },
  ...change,
});
