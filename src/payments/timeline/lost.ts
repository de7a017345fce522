import { readArchivedPayment } from '../archive/archive-store.ts';
import { HOUSE } from '../cases/cases-store.ts';
import { listCasesAbout } from '../cases/read-cases.ts';
import type { CaseRow } from '../cases/read-cases.ts';
import { listCasesNaming } from '../cases/named-cases-store.ts';
import { readPayment } from '../create/store.ts';
import type { PaymentKey } from '../create/payment.ts';
import { decodeReference } from '../../parties/reference.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { readTerm } from './term.ts';
import type { SearchTerm } from './term.ts';

const MAX_NAMED = 20;

/**
 * Cases about payments that an operator reports and the ledger does not have, such as those that a restore lost:
 * by our reference, the account, a phone number or the operator's reference. The payments' own timelines show the
 * cases about all others.
 * @param vendorId of one vendor only.
 */
export async function findLostCases(
  db: Queryable,
  asked: string | SearchTerm,
  vendorId?: number,
): Promise<CaseRow[]> {
  const term = typeof asked === 'string' ? readTerm(asked) : asked;
  const { location, accounts } = term;
  const about =
    location === undefined ? [] : await listCasesAbout(db, location.vendorId, location.paymentId);
  const named = accounts.length === 0 ? [] : await listCasesNaming(db, accounts, MAX_NAMED);
  const known = new Set(about.map(({ caseId }) => caseId));
  const lost: CaseRow[] = [];
  for (const row of [...about, ...named.filter(({ caseId }) => !known.has(caseId))]) {
    const key = paymentOf(row);
    if (vendorId !== undefined && (key?.vendorId ?? row.vendorId) !== vendorId) continue;
    if (key === undefined || !(await isInLedger(db, key))) lost.push(row);
  }
  return lost;
}

/** The payment that a case of ours names only by its reference belongs to that vendor, too. */
function paymentOf({ vendorId, paymentId, facts }: CaseRow): PaymentKey | undefined {
  if (paymentId !== null && vendorId !== HOUSE) return { vendorId, paymentId };
  const { reference } = facts;
  return typeof reference === 'string' ? decodeReference(reference.toUpperCase()) : undefined;
}

async function isInLedger(db: Queryable, key: PaymentKey): Promise<boolean> {
  if ((await readPayment(db, key.vendorId, key.paymentId)) !== undefined) return true;
  return (await readArchivedPayment(db, key)) !== undefined;
}
