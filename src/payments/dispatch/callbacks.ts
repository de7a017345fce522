import { createHash } from 'node:crypto';
import { crashPoint } from '#crash-points';
import type { Logger } from 'pino';
import { decodeReference, newId } from '../../platform/base/ids.ts';
import type { BillerCatalogue } from '../billers/catalogue.ts';
import { databaseTransaction } from '../../platform/db/pool.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { HOUSE, openCase } from '../cases/cases-store.ts';
import type { Settler } from '../settle/settle.ts';
import { readPayment } from '../create/store.ts';
import type { CallbackReport, CallbackRequest, Connector } from './connector.ts';
import { finalReport } from './decide.ts';
import { insertUnmatchedCallback } from './store.ts';

/** `accepted`: recorded, acknowledge it. `refused`: not from the operator, nothing was changed. */
export type CallbackAnswer = 'accepted' | 'refused' | 'unknown_operator';

export interface CallbackReceiver {
  receive(operatorCode: string, request: CallbackRequest): Promise<CallbackAnswer>;
}

/** Handles operators' callbacks. Every authentic one is settled, or stored as unmatched. */
export function createCallbackReceiver(options: {
  readonly pool: Pool;
  readonly catalogue: BillerCatalogue;
  readonly connectorOf: (operatorCode: string) => Connector | undefined;
  readonly settler: Settler;
  readonly log: Logger;
}): CallbackReceiver {
  const { pool, catalogue, log } = options;

  /**
   * The biller of the payment, if it is paid through this operator: no operator settles another's.
   */
  const billerOf = async (
    operatorCode: string,
    location: { readonly vendorId: number; readonly paymentId: string },
  ): Promise<string | undefined> => {
    const row = await readPayment(pool, location.vendorId, location.paymentId);
    const biller = row && catalogue.biller(row.billerCode);
    return biller?.operatorCode === operatorCode ? biller.billerCode : undefined;
  };

  const take = async (operatorCode: string, report: CallbackReport): Promise<void> => {
    const location = decodeReference(report.reference);
    const billerCode = location && (await billerOf(operatorCode, location));
    if (location !== undefined && billerCode !== undefined) {
      crashPoint('callback:before-settle');
      const word = finalReport({ ...location, billerCode }, report.outcome, 'callback');
      const result = await options.settler.settle(word);
      crashPoint('callback:after-settle');
      if (result === 'contradicted') {
        log.error(
          { reference: report.reference },
          'a callback contradicts the books: a case was opened',
        );
      }
      return;
    }
    log.error({ operatorCode }, 'a callback about a reference that this operator does not have');
    await keepUnmatched(pool, operatorCode, report);
  };

  return {
    receive: async (operatorCode, request) => {
      const connector = options.connectorOf(operatorCode);
      if (connector?.readCallback === undefined) return 'unknown_operator';
      const reading = connector.readCallback(request);
      if (reading.kind === 'refused') {
        log.warn({ operatorCode, reason: reading.reason }, 'a callback was refused');
        return 'refused';
      }
      for (const report of reading.reports) await take(operatorCode, report);
      return 'accepted';
    },
  };
}

const MAX_REFERENCE_LENGTH = 200;

/** Stores the callback and opens a case: one per reference, however often it is repeated. */
async function keepUnmatched(
  pool: Pool,
  operatorCode: string,
  { reference: sent, outcome }: CallbackReport,
): Promise<void> {
  const reference = sent.slice(0, MAX_REFERENCE_LENGTH);
  const isPaid = outcome.kind === 'paid';
  const report = isPaid ? { ...outcome, amountCents: outcome.amountCents.toString() } : outcome;
  await databaseTransaction(pool, async (client) => {
    await insertUnmatchedCallback(client, {
      operatorCode,
      callbackId: newId(),
      reference,
      report,
      receivedAt: new Date(),
    });
    await openCase(client, {
      vendorId: HOUSE,
      paymentId: null,
      kind: 'unmatched_callback',
      evidenceId: evidenceOf(operatorCode, reference),
      operatorCode,
      facts: {
        source: 'callback',
        reference,
        report,
        paid_cents: isPaid ? Number(outcome.amountCents) : null,
      },
    });
  });
}

/** The same id for every callback about the reference, so that only one case is open about it. */
function evidenceOf(operatorCode: string, reference: string): string {
  return createHash('md5').update(`${operatorCode} ${reference}`).digest('hex');
}
