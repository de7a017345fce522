import type { NewCase } from '../cases/cases-store.ts';
import type { CaseRow } from '../cases/read-cases.ts';
import type { OurPayment } from '../reconciliation/match.ts';
import { movedCents, unclaimedCents, withoutClaims } from './left-to-correct.ts';
import type { Unclaimed } from './left-to-correct.ts';
import { notBookedOf } from './lost-payment.ts';
import type { LostPayment } from './lost-payment.ts';

/** Cents of a payment that no open case claims, at one moment. Pure. */
export function unclaimedOf(
  row: Pick<CaseRow, 'operatorCode'>,
  payment: OurPayment | LostPayment,
  open: readonly Pick<CaseRow, 'kind' | 'facts'>[],
): Unclaimed {
  if (!('chargedBy' in payment)) return unclaimedCents(payment, open);
  return withoutClaims(notBookedOf(row, payment), open.map(movedCents));
}

/**
 * The case about what a decision leaves: what statements list more or less than the ledger has, and no other open case
 * claims. What people left before by their decisions is not asked about again. Pure.
 * @param was before the decision, with its case. @param is after it, without its case.
 */
export function restCase(
  row: CaseRow,
  was: Unclaimed,
  is: Unclaimed,
  correctionId: string,
): NewCase | undefined {
  const taken = is.taken - was.taken;
  const cents = taken > 0n ? taken : is.returned - was.returned;
  if (cents <= 0n) return undefined;
  const { vendorId, paymentId, operatorCode, facts } = row;
  const { statement_id, line, operator_reference, reference, biller, account, at } = facts;
  return {
    ...{ vendorId, paymentId, operatorCode, kind: 'theirs_only', evidenceId: correctionId },
    facts: {
      source: 'statement',
      ...{ statement_id, line, operator_reference, reference, biller, account, at },
      movement: taken > 0n ? 'payment' : 'reversal',
      paid_cents: Number(cents),
      rest_of_case: row.caseId,
    },
  };
}
