import type { Queryable } from '../../platform/db/pool.ts';
import { readArchivedPayment } from '../archive/archive-store.ts';
import { HOUSE } from '../cases/cases-store.ts';
import { listCasesAbout } from '../cases/read-cases.ts';
import type { CaseRow } from '../cases/read-cases.ts';
import { listCallbackCases } from '../cases/statement-cases-store.ts';
import { readPayment } from '../create/store.ts';
import { feePriceFor, inForce } from '../prices/price.ts';
import {
  feePricesByBiller,
  listFeePrices,
  listOperatorPrices,
  operatorPricesByRoute,
} from '../prices/store.ts';
import { readHouseCents } from '../reconciliation/store.ts';
import { findChargeOf, listPostedFor, readCorrectedCents } from './corrections-store.ts';
import { listedOfLost } from './lost-payment.ts';
import type { LostPayment } from './lost-payment.ts';

/**
 * Reads the payment that a case names and the ledger does not have, with the prices that were in force
 * when the operator made it. Null if the case names no payment.
 */
export async function readLostPayment(db: Queryable, row: CaseRow): Promise<LostPayment | null> {
  const { kind, vendorId, paymentId, operatorCode, facts } = row;
  if (kind !== 'theirs_only' && kind !== 'statement_change') return null;
  if (vendorId === HOUSE || paymentId === null) return null;
  const key = { vendorId, paymentId };
  const at = Date.parse(String(facts['at']));
  const biller = typeof facts['biller'] === 'string' ? facts['biller'] : undefined;
  const fees = feePricesByBiller(await listFeePrices(db, 'all')).get(biller ?? '');
  const called = await listCallbackCases(db, { operatorCode, reference: facts['reference'] });
  const terms = operatorPricesByRoute(await listOperatorPrices(db, 'all'));
  return {
    vendorId,
    feePrice: (fees && feePriceFor(fees, vendorId, at)) ?? null,
    terms: inForce(terms.get(`${biller} ${operatorCode}`), at) ?? null,
    chargedBy: (await findChargeOf(db, key)) ?? null,
    posted: await listPostedFor(db, key),
    ...listedOfLost(await listCasesAbout(db, vendorId, paymentId), operatorCode),
    houseCents: (await readHouseCents(db, [key])).get(paymentId) ?? 0n,
    calledCents: await readCorrectedCents(db, called),
    known:
      (await readPayment(db, vendorId, paymentId)) !== undefined ||
      (await readArchivedPayment(db, key)) !== undefined,
  };
}
