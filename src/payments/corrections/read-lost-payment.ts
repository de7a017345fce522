import type { Queryable } from '../../platform/db/pool.ts';
import { readArchivedPayment } from '../archive/archive-store.ts';
import { HOUSE, listCasesAbout } from '../cases/cases-store.ts';
import type { CaseRow } from '../cases/cases-store.ts';
import type { PaymentKey } from '../create/payment.ts';
import { readPayment } from '../create/store.ts';
import { feePriceFor, inForce } from '../prices/price.ts';
import {
  feePricesByBiller,
  listFeePrices,
  listOperatorPrices,
  operatorPricesByRoute,
} from '../prices/store.ts';
import { findChargeOf, listPostedFor } from './corrections-store.ts';
import { factCents } from './facts.ts';
import type { LostPayment } from './lost-payment.ts';

/**
 * Reads the payment that a case names and the ledger does not have, with the prices that were in force
 * when the operator made it. Null if the case names no payment.
 */
export async function readLostPayment(db: Queryable, row: CaseRow): Promise<LostPayment | null> {
  const { kind, vendorId, paymentId, operatorCode, facts } = row;
  if (kind !== 'theirs_only' || vendorId === HOUSE || paymentId === null) return null;
  const key = { vendorId, paymentId };
  const at = Date.parse(String(facts['at']));
  const biller = typeof facts['biller'] === 'string' ? facts['biller'] : undefined;
  const fees = feePricesByBiller(await listFeePrices(db, 'all')).get(biller ?? '');
  const terms = operatorPricesByRoute(await listOperatorPrices(db, 'all'));
  return {
    vendorId,
    feePrice: (fees && feePriceFor(fees, vendorId, at)) ?? null,
    terms: inForce(terms.get(`${biller} ${operatorCode}`), at) ?? null,
    chargedBy: (await findChargeOf(db, key)) ?? null,
    posted: await listPostedFor(db, key),
    stillListedCents: await readStillListed(db, key, operatorCode),
    known:
      (await readPayment(db, vendorId, paymentId)) !== undefined ||
      (await readArchivedPayment(db, key)) !== undefined,
  };
}

const isReversal = ({ facts }: CaseRow): boolean => facts['movement'] === 'reversal';

/** See `LostPayment`. Each movement that statements list of a lost payment has a case. */
async function readStillListed(
  db: Queryable,
  { vendorId, paymentId }: PaymentKey,
  operatorCode: string | null,
): Promise<bigint | null> {
  const cases = (await listCasesAbout(db, vendorId, paymentId)).filter(
    (row) => row.kind === 'theirs_only' && row.operatorCode === operatorCode,
  );
  // An open one can still return what is charged.
  const counted = cases.filter((row) => !isReversal(row) || row.resolvedAt !== null);
  if (!counted.some(isReversal)) return null;
  let cents = 0n;
  for (const row of counted) {
    const listed = factCents(row, 'paid_cents') ?? 0n;
    cents += isReversal(row) ? -listed : listed;
  }
  const accounts = new Set<string>([`operator:${operatorCode}`, `receivable:${operatorCode}`]);
  for (const owner of [vendorId, HOUSE]) {
    for (const posted of await listPostedFor(db, { vendorId: owner, paymentId })) {
      if (accounts.has(posted.creditAccount)) cents -= posted.amountCents;
      if (accounts.has(posted.debitAccount)) cents += posted.amountCents;
    }
  }
  return cents;
}
