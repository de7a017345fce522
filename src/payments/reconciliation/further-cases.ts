import type { Queryable } from '../../platform/db/pool.ts';
import { listCasesAbout } from '../cases/cases-store.ts';
import type { NewCase } from '../cases/cases-store.ts';
import { factsOf } from './case-facts.ts';
import type { Differences, MatchedRow } from './case-facts.ts';
import type { Match } from './match.ts';

/**
 * Payments that were listed before and have an open case about a movement: a further movement needs a case of
 * its own, with its own amount.
 */
export async function findContested(
  db: Queryable,
  rows: readonly MatchedRow[],
): Promise<Set<string>> {
  const contested = new Set<string>();
  for (const { match } of rows) {
    const payment = match?.payment;
    if (!payment?.isListed || !isPaidOtherwise(match)) continue;
    const cases = await listCasesAbout(db, payment.vendorId, payment.paymentId);
    const isOpen = cases.some(
      ({ kind, resolvedAt }) =>
        resolvedAt === null && (kind === 'contradiction' || kind === 'amount_difference'),
    );
    if (isOpen) contested.add(payment.paymentId);
  }
  return contested;
}

/**
 * True if the movement says that the operator paid what the ledger does not have. Like a callback, it
 * opens a case that names no movement, so only one can be open for each payment.
 */
function isPaidOtherwise(match: Match | null): boolean {
  if (match === null || match.payment === null || match.payment.outcome === null) return false;
  return match.verdict === 'amount_difference' || match.reported === 'success';
}

/** Names the movement in a case of `amount_difference`, if a case about another movement is open. */
export function withEvidence(
  { rowId, match }: MatchedRow,
  opened: NewCase,
  contested: Set<string>,
): NewCase {
  if (opened.kind !== 'amount_difference' || opened.paymentId === null) return opened;
  // The one about the payment itself is opened by `settle`.
  if (match?.verdict !== 'amount_difference') return opened;
  if (contested.has(opened.paymentId)) return { ...opened, evidenceId: rowId };
  if (isPaidOtherwise(match)) contested.add(opened.paymentId);
  return opened;
}

/** The case about a further payment that contradicts the ledger; `settle` opens one about the first. */
export function furtherCase(
  row: MatchedRow,
  found: Differences,
  contested: Set<string>,
): NewCase | undefined {
  const { match, rowId, movement } = row;
  const payment = match?.payment;
  if (!payment || match?.reported !== 'success' || !isPaidOtherwise(match)) return undefined;
  if (!contested.has(payment.paymentId)) {
    contested.add(payment.paymentId);
    return undefined;
  }
  return {
    vendorId: payment.vendorId,
    paymentId: payment.paymentId,
    kind: 'contradiction',
    evidenceId: rowId,
    operatorCode: found.operator,
    facts: {
      ...factsOf(row, found),
      books_say: payment.outcome,
      operator_says: 'success',
      amount_cents: Number(payment.amountCents),
      biller_reference: movement.operatorReference,
    },
  };
}
