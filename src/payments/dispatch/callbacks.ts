import { crashPoint } from '#crash-points';
import type { Logger } from 'pino';
import { decodeReference, newId } from '../../platform/base/ids.ts';
import type { BillerCatalogue } from '../billers/catalogue.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { Settler } from '../settle/settle.ts';
import { readTransaction } from '../create/store.ts';
import type { CallbackReport, CallbackRequest, Connector } from './connector.ts';
import { finalReport } from './decide.ts';
import { insertStrayCallback } from './store.ts';

/** `accepted`: written, tell the operator so. `refused`: not from the operator, nothing was changed. */
export type CallbackAnswer = 'accepted' | 'refused' | 'unknown_operator';

export interface CallbackDesk {
  receive(operatorCode: string, request: CallbackRequest): Promise<CallbackAnswer>;
}

/** Operators' reports that come unasked. Every one that is genuine is settled, or kept as a stray. */
export function createCallbackDesk(options: {
  readonly pool: Pool;
  readonly catalogue: BillerCatalogue;
  readonly connectorOf: (operatorCode: string) => Connector | undefined;
  readonly settler: Settler;
  readonly log: Logger;
}): CallbackDesk {
  const { pool, catalogue, log } = options;

  /** The biller of the transaction, if it is paid through this operator: no operator settles another's. */
  const billerOf = async (
    operatorCode: string,
    place: { readonly vendorId: number; readonly transactionId: string },
  ): Promise<string | undefined> => {
    const row = await readTransaction(pool, place.vendorId, place.transactionId);
    const biller = row && catalogue.biller(row.biller_code);
    return biller?.operatorCode === operatorCode ? biller.billerCode : undefined;
  };

  const take = async (operatorCode: string, report: CallbackReport): Promise<void> => {
    const place = decodeReference(report.reference);
    const billerCode = place && (await billerOf(operatorCode, place));
    if (place !== undefined && billerCode !== undefined) {
      crashPoint('callback:before-settle');
      const word = finalReport({ ...place, billerCode }, report.outcome, 'callback');
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
    const { outcome } = report;
    await insertStrayCallback(pool, {
      operatorCode,
      callbackId: newId(),
      reference: report.reference,
      report:
        outcome.kind === 'paid'
          ? { ...outcome, amountCents: outcome.amountCents.toString() }
          : outcome,
      receivedAt: new Date(),
    });
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
