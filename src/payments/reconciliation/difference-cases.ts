import { HOUSE } from '../cases/cases-store.ts';
import type { CaseSubject, NewCase } from '../cases/cases-store.ts';
import { factsOf } from './case-facts.ts';
import type { Differences, MatchedRow } from './case-facts.ts';
import { furtherCase, withEvidence } from './further-cases.ts';
import type { Contested } from './further-cases.ts';
import { differenceCents, isListedNet, isOurs, isPostedNet, unexplainedCents } from './match.ts';
import type { Match, OurPayment } from './match.ts';

/**
 * The cases about what the rows of a statement say and the ledger does not. Pure.
 * @param lost the payments that the ledger has lost, by reference.
 */
export function casesOfRows(
  found: Differences,
  lost: ReadonlyMap<string, CaseSubject>,
  contested: Contested,
): NewCase[] {
  const cases: NewCase[] = [];
  for (const row of found.rows) {
    const opened = caseOf(row, found, { lost, contested });
    if (opened !== undefined) cases.push(withEvidence(row, opened, contested));
    const further = furtherCase(row, found, contested);
    if (further !== undefined) cases.push(further);
  }
  return cases;
}

function caseOf(
  row: MatchedRow,
  found: Differences,
  known: { readonly lost: ReadonlyMap<string, CaseSubject>; readonly contested: Contested },
): NewCase | undefined {
  const { lost, contested } = known;
  const { movement, match, verdict, rowId } = row;
  const payment = row.payment ?? lost.get(movement.reference ?? '');
  const facts = factsOf(row, found);
  const about = {
    vendorId: payment?.vendorId ?? HOUSE,
    paymentId: payment?.paymentId ?? null,
    operatorCode: found.operator,
    facts,
  };
  switch (verdict) {
    case 'theirs_only':
      if (match?.reported === 'success' && isOnOtherTerms(match)) {
        return amountCase({ ...about, facts }, match);
      }
      return theirsOnlyCase({ ...about, kind: 'theirs_only', evidenceId: rowId }, match, contested);
    case 'duplicate':
      return { ...about, kind: 'duplicate', evidenceId: rowId };
    case 'changed':
      return { ...about, kind: 'statement_change', evidenceId: rowId };
    case 'settled':
      return isOnOtherTerms(match) ? amountCase({ ...about, facts }, match) : undefined;
    case 'amount_difference':
      return amountCase({ ...about, facts }, match);
    default:
      return undefined;
  }
}

/**
 * True if the operator lists a payment that the ledger does not have as paid on terms that are not
 * ours. `settle` is told that it was executed in full, so the difference is a case of its own.
 */
function isOnOtherTerms(match: Match | null): boolean {
  if (match === null || match.payment === null) return false;
  const { payment, movement } = match;
  return (
    isListedNet(payment, movement.amountCents) &&
    differenceCents(payment, movement.amountCents) !== 0n
  );
}

function amountCase(about: Omit<NewCase, 'kind' | 'evidenceId'>, match: Match | null): NewCase {
  const payment = match?.payment;
  const differs =
    match?.verdict === 'amount_difference'
      ? unexplainedCents(match)
      : payment && differenceCents(payment, match.movement.amountCents);
  return {
    ...about,
    kind: 'amount_difference',
    // As `settle` would open it: one case, whichever finds the difference first.
    evidenceId: null,
    facts: {
      ...about.facts,
      books_say: payment && isOurs(payment) ? payment.outcome : 'success',
      operator_says: 'success',
      amount_cents: Number(payment?.amountCents ?? 0n),
      difference_cents: Number(differs ?? 0n),
      biller_reference: match?.movement.operatorReference ?? null,
    },
  };
}

/**
 * Returns the case about our part of a difference in a settled payment, and about what the operator
 * returned more than it took, if there is any. `settle` opens the case about the vendor's part.
 */
function theirsOnlyCase(
  opened: NewCase,
  match: Match | null,
  { returned }: Contested,
): NewCase | undefined {
  if (!match?.reported) return opened;
  // `settle` opens none while another contradiction is open.
  const isContested = match.payment !== null && returned.has(match.payment.paymentId);
  if (isContested && match.reported === 'failed') return opened;
  const cents = housePartCents(match) + match.surplusCents;
  if (cents <= 0n) return undefined;
  const { facts } = opened;
  return {
    ...opened,
    facts: { ...facts, listed_cents: facts['paid_cents'], paid_cents: Number(cents) },
  };
}

/** Returns our own accounts' part of a payment that a reversal contradicts, in cents. */
function housePartCents({ movement, payment, reported }: Match): bigint {
  if (payment === null || reported !== 'failed') return 0n;
  const { postedCents, netPostedCents, houseCents } = payment;
  // A statement may list either.
  const isNet = isPostedNet(payment) || netPostedCents > postedCents;
  const restCents = movement.amountCents - (isNet ? netPostedCents : postedCents);
  const partCents = restCents < houseCents ? restCents : houseCents;
  return partCents > 0n ? partCents : 0n;
}

export function oursOnlyCase(payment: OurPayment, found: Differences): NewCase {
  return {
    vendorId: payment.vendorId,
    paymentId: payment.paymentId,
    kind: 'ours_only',
    evidenceId: null,
    operatorCode: found.operator,
    facts: {
      source: 'statement',
      statement_id: found.statementId,
      books_say: 'success',
      posted_cents: Number(payment.postedCents),
      paid_cents: 0,
      biller_reference: payment.billerReference,
      sent_at: payment.firstSentAt?.toISOString() ?? null,
      settled_at: payment.settledAt?.toISOString() ?? null,
    },
  };
}
