import type { AccountName } from '../ledger/account.ts';
import { formatMoney } from '../../platform/base/money.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { ProposedResolution } from '../cases/cases-store.ts';
import type { CaseRow } from '../cases/read-cases.ts';
import { paidFor, termsOf } from '../prices/price.ts';
import type { OperatorTerms } from '../prices/price.ts';
import { isListedNet, isOurs } from '../reconciliation/match.ts';
import type { OurPayment } from '../reconciliation/match.ts';
import { accountOf, NO_OTHER_TERMS, NO_TERMS } from './charges.ts';
import type { OtherTerms, PlannedTransfer, TermsBefore } from './charges.ts';
import { factCents, givenCents } from './facts.ts';
import { claimedCents, ourPartCents } from './left-to-correct.ts';

type Row = Pick<CaseRow, 'kind' | 'operatorCode' | 'facts'>;

/** A payment with what it recorded of prices. */
export interface PricedPayment extends OurPayment {
  /** With its VAT and its excise duty. */
  readonly feeCents: bigint;
  readonly vatCents: bigint;
  /** Absent: none. */
  readonly exciseCents?: bigint;
  /** The terms of the case's operator for the payment; null: it has none, or another operator executed it. */
  readonly terms: OperatorTerms | null;
  /** Postings of `terms_differ` for the payment that nothing has taken back. */
  readonly otherTerms: OtherTerms;
}

/**
 * Derives the executed amount by our terms from an amount that a statement lists as paid, if it is
 * listed with them. A report has the amount itself.
 */
export function executedBy({ facts }: Row, payment: PricedPayment, listed: bigint): bigint {
  if (facts['source'] !== 'statement' || !isListedNet(payment, listed)) return listed;
  const { terms, amountCents, netCents, postedCents, netPostedCents } = payment;
  if (postedCents > 0n && listed === netPostedCents) return postedCents;
  if (listed === netCents) return amountCents;
  return (terms === null ? undefined : paidFor(terms, listed)) ?? listed;
}

/**
 * The operator executed the payment as the ledger says, and took another amount for it than our terms say: the
 * difference is ours. Pure.
 * Throws: `PlainError` if nothing differs, or the amount is above the difference.
 */
export function planTerms(
  row: Row,
  payment: PricedPayment,
  proposal: ProposedResolution,
): PlannedTransfer[] {
  if (row.facts['source'] !== 'statement') {
    throw new PlainError('Only a statement shows what the operator took from our float.', {
      field: 'resolution',
    });
  }
  if (payment.outcome !== 'success') {
    const text = isOurs(payment)
      ? 'The payment is in our own accounts, which have no cost and no commission. Choose house_bears, receivable, house_recovers or receivable_returned.'
      : 'The payment is not paid according to the ledger: decide first whether it is.';
    throw new PlainError(text, { field: 'resolution' });
  }
  if (payment.isListed && payment.listedCents <= 0n) {
    throw new PlainError('The operator has returned all of it, so its terms explain nothing.', {
      field: 'resolution',
    });
  }
  const moreCents = termsDifference(row, payment);
  if (moreCents === 0n) {
    throw new PlainError('The ledger has what the statement lists. Choose keep_books.', {
      field: 'resolution',
    });
  }
  const maxCents = moreCents > 0n ? moreCents : -moreCents;
  const amountCents = givenCents(proposal) ?? maxCents;
  if (amountCents <= 0n || amountCents > maxCents) {
    throw new PlainError(
      `It must be above zero and at most ${formatMoney(maxCents)}, what the operator took ${moreCents > 0n ? 'more' : 'less'} than the ledger has.`,
      { field: 'amount' },
    );
  }
  const plannedCents = moreCents > 0n ? amountCents : -amountCents;
  requirePlausible(payment, plannedCents);
  return differingTerms(row, payment, plannedCents);
}

/** Terms of airtime leave a tenth, and of gift cards a third. A flat cost may be much of a small payment. */
const PLAUSIBLE = { ofAmount: 2n, flatCents: 10_000n };

/**
 * Throws: `PlainError` if no terms explain so much, with what was found to be terms before. Such a difference is another
 * amount than was instructed, and declaring it to be terms would book a loss as a cost, or the vendor's money as our
 * commission.
 */
function requirePlausible({ amountCents, otherTerms }: PricedPayment, moreCents: bigint): void {
  const allCents = otherTerms.costCents - otherTerms.commissionCents + moreCents;
  const share = amountCents / PLAUSIBLE.ofAmount;
  const maxCents = share > PLAUSIBLE.flatCents ? share : PLAUSIBLE.flatCents;
  if (allCents <= maxCents && allCents >= -maxCents) return;
  const others =
    moreCents > 0n
      ? 'charge_vendor, house_bears or receivable'
      : 'return_to_vendor or house_recovers';
  throw new PlainError(
    `No terms explain a difference of ${formatMoney(allCents < 0n ? -allCents : allCents)}: at most ${formatMoney(maxCents)}, which is half of the payment, or ${formatMoney(PLAUSIBLE.flatCents)} if that is more. Choose ${others}.`,
    { field: 'resolution' },
  );
}

/**
 * The operator's takings beyond the ledger's, by the case and, if it was revised or listed more than once, by
 * all statements.
 */
function termsDifference(row: Row, payment: PricedPayment): bigint {
  const { netPostedCents, houseCents, isRevised, listedCents, listedPayments } = payment;
  const listed = factCents(row, 'paid_cents') ?? 0n;
  const before = factCents(row, 'listed_before_cents');
  const isChange = row.kind === 'statement_change' && before !== undefined;
  const byCase =
    isChange || payment.netCents === payment.amountCents
      ? claimedCents(row, payment)
      : listed - netPostedCents - ourPartCents(payment, listed);
  if (!isRevised && !isChange && listedPayments <= 1) return byCase;
  const byAll = listedCents - netPostedCents - houseCents;
  if (byCase > 0n) return byAll < 0n ? 0n : byAll < byCase ? byAll : byCase;
  // The rest is that of further payments, which have cases of their own.
  if (byAll > 0n && !isRevised && !isChange) return byCase;
  return byAll > 0n ? 0n : byAll > byCase ? byAll : byCase;
}

/** The terms that are posted for a payment, less those of the recorded price. Pure. */
export function otherTermsOf(
  terms: OperatorTerms | null,
  postedCents: bigint,
  posted: OtherTerms,
): OtherTerms {
  const byPrice = termsOf(terms ?? NO_TERMS, postedCents);
  const netted = terms?.commissionNetted === false ? 0n : byPrice.commissionCents;
  return {
    costCents: posted.costCents - byPrice.costCents,
    commissionCents: posted.commissionCents - netted,
  };
}

/**
 * Plans transfers of our own terms for the amount that the operator took beyond them: less commission
 * first, and then cost. If it took less: less cost first, and then commission. So neither account gets
 * below zero for the payment.
 */
function differingTerms(
  row: Pick<CaseRow, 'operatorCode'>,
  payment: TermsBefore,
  moreCents: bigint,
): PlannedTransfer[] {
  const { vendorId, terms, postedCents, otherTerms = NO_OTHER_TERMS } = payment;
  const posted = termsOf(terms ?? NO_TERMS, postedCents);
  const netted = terms?.commissionNetted === false ? 0n : posted.commissionCents;
  const operator = accountOf('operator', row);
  const cost = accountOf('cost', row);
  const commission = accountOf('commission', row);
  const isMore = moreCents > 0n;
  const cents = isMore ? moreCents : -moreCents;
  const has = isMore
    ? netted + otherTerms.commissionCents
    : posted.costCents + otherTerms.costCents;
  const first = cents < has ? cents : has > 0n ? has : 0n;
  const parts: readonly (readonly [AccountName, AccountName, bigint])[] = isMore
    ? [
        [commission, operator, first],
        [cost, operator, cents - first],
      ]
    : [
        [operator, cost, first],
        [operator, commission, cents - first],
      ];
  return parts
    .filter(([, , part]) => part > 0n)
    .map(([debitAccount, creditAccount, amountCents]) => {
      return { vendorId, debitAccount, creditAccount, amountCents };
    });
}
