import type { Pool } from '../../platform/db/pool.ts';
import { snapshot } from '../../platform/db/pool.ts';
import type { CaseRow } from '../cases/cases-store.ts';
import { decodeReference, encodeReference } from '../../parties/reference.ts';
import { findLostCases } from './lost.ts';
import { timelineOf } from './assemble.ts';
import type { PaymentTimeline } from './assemble.ts';
import { readHistory, searchPayments } from './store.ts';
import type { SearchFilter } from './store.ts';
import { readTerm } from './term.ts';
import type { SearchTerm } from './term.ts';

export interface Found {
  /** Newest first. */
  readonly payments: readonly PaymentTimeline[];
  /** True if there are older ones. */
  readonly more: boolean;
  /** About payments that only an operator reports, and that the text names. */
  readonly cases: readonly CaseRow[];
}

/**
 * Payments of all vendors by an `ipay_reference`, a merchant reference, an account or a phone
 * number in any usual form, each with its timeline, over one snapshot. Archived payments are found
 * by all of these except the phone number. Payments that the ledger does not have are found by their cases.
 */
export async function findPayments(pool: Pool, text: string, filter: SearchFilter): Promise<Found> {
  return await find(pool, readTerm(text), filter);
}

/**
 * The payment of this `ipay_reference`, in any case. Nothing else is searched: another payment whose
 * merchant reference or account is the same text must not hide it.
 */
export async function findPayment(
  pool: Pool,
  reference: string,
): Promise<PaymentTimeline | undefined> {
  const location = decodeReference(reference.toUpperCase());
  if (location === undefined) return undefined;
  const term = { location, merchantReference: null, accounts: [] };
  const { payments } = await find(pool, term, { limit: 1 });
  return payments[0];
}

async function find(pool: Pool, term: SearchTerm, filter: SearchFilter): Promise<Found> {
  return await snapshot(pool, async (db) => {
    const rows = await searchPayments(db, term, { ...filter, limit: filter.limit + 1 });
    const shown = rows.slice(0, filter.limit);
    const references = shown.map((row) => encodeReference(row.vendorId, row.paymentId));
    const history = await readHistory(db, shown, references);
    return {
      payments: shown.map((row) => timelineOf(row, history)),
      more: rows.length > filter.limit,
      cases: await findLostCases(db, term),
    };
  });
}
