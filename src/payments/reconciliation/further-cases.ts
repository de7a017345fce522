import type { Queryable } from '../../platform/db/pool.ts';
import { listCasesAbout } from '../cases/read-cases.ts';
import type { NewCase } from '../cases/cases-store.ts';
import type { CaseRow } from '../cases/read-cases.ts';
import { factsOf } from './case-facts.ts';
import type { Differences, MatchedRow } from './case-facts.ts';
import type { Match, OurPayment } from './match.ts';

/** Payments with an open case that names no movement, so that a movement of this statement needs a case of its own. */
export interface Contested {
  /** The case says how much was paid. Those of this statement are added. */
  readonly paid: Set<string>;
  /** The case says that it was paid, and the statement that it was returned. */
  readonly returned: ReadonlySet<string>;
}

export async function findContested(
  db: Queryable,
  rows: readonly MatchedRow[],
): Promise<Contested> {
  const cases: CaseRow[] = [];
  for (const { vendorId, paymentId } of contestablePayments(rows)) {
    cases.push(...(await listCasesAbout(db, vendorId, paymentId)));
  }
  return contestedBy(rows, cases);
}

function contestablePayments(rows: readonly MatchedRow[]): Set<OurPayment> {
  const payments = new Set<OurPayment>();
  for (const { match } of rows) {
    if (match?.payment && (isPaidOtherwise(match) || match.reported === 'failed'))
      payments.add(match.payment);
  }
  return payments;
}

/** Pure. @param cases about the payments of the rows, open or not. */
export function contestedBy(rows: readonly MatchedRow[], cases: readonly CaseRow[]): Contested {
  const open = cases.filter(({ resolvedAt }) => resolvedAt === null);
  const contested = { paid: new Set<string>(), returned: new Set<string>() };
  for (const { isListed, paymentId } of contestablePayments(rows)) {
    const about = open.filter((one) => one.paymentId === paymentId);
    const contradictions = about.filter(({ kind }) => kind === 'contradiction');
    const isPaid =
      contradictions.length > 0 || about.some(({ kind }) => kind === 'amount_difference');
    if (isListed && isPaid) contested.paid.add(paymentId);
    const saysPaid = contradictions.some(
      ({ evidenceId, facts }) => evidenceId === null && facts['operator_says'] !== 'failed',
    );
    if (saysPaid) contested.returned.add(paymentId);
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
  { paid: contested }: Contested,
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
  { paid: contested }: Contested,
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
