import { HOUSE } from '../../src/payments/cases/cases-store.ts';
import type { NewCase } from '../../src/payments/cases/cases-store.ts';
import type { CaseRow } from '../../src/payments/cases/read-cases.ts';
import type { PlannedTransfer } from '../../src/payments/corrections/charges.ts';
import { listedOfLost } from '../../src/payments/corrections/lost-payment.ts';
import type { LostPayment } from '../../src/payments/corrections/lost-payment.ts';
import { otherTermsOf } from '../../src/payments/corrections/other-terms.ts';
import type { PricedPayment } from '../../src/payments/corrections/other-terms.ts';
import type { Unclaimed } from '../../src/payments/corrections/left-to-correct.ts';
import { restCase, unclaimedOf } from '../../src/payments/corrections/rest-case.ts';
import { resolutionsOf } from '../../src/payments/corrections/fitting.ts';
import type { Situation } from '../../src/payments/corrections/resolutions.ts';
import type { Outcome } from '../../src/payments/create/payment.ts';
import { isOwnTermsAccount } from '../../src/payments/ledger/account.ts';
import { takenCents, termsOf } from '../../src/payments/prices/price.ts';
import type { OperatorTerms } from '../../src/payments/prices/price.ts';
import type { MatchedRow } from '../../src/payments/reconciliation/case-facts.ts';
import { casesOfRows } from '../../src/payments/reconciliation/difference-cases.ts';
import { contestedBy } from '../../src/payments/reconciliation/further-cases.ts';
import { matchStatement } from '../../src/payments/reconciliation/match.ts';
import type { OurPayment } from '../../src/payments/reconciliation/match.ts';
import { reportsOf } from '../../src/payments/reconciliation/proven-reports.ts';
import { keyOf, rowsOf, withChanges } from '../../src/payments/reconciliation/rows.ts';
import type { KnownMovement } from '../../src/payments/reconciliation/store.ts';
import type { StatementMovement } from '../../src/connectors/operator-statements.ts';
import { NO_TERMS, planOf } from './terms-ledger.ts';

export const VENDOR = 7;
const OPERATOR = 'kplc';
const MUCH = 1_000_000_000n;

/** A payment of these books. */
export interface Subject {
  readonly paymentId: string;
  readonly reference: string;
  readonly amountCents: bigint;
  /** The ledger has lost it. */
  readonly isLost: boolean;
}

interface Correction {
  readonly vendorId: number;
  readonly paymentId: string | null;
  readonly resolution: string;
  readonly transfers: readonly PlannedTransfer[];
}

/**
 * Books in memory: the real code compares statements and plans resolutions, and what it decides is kept in lists
 * as the database keeps it.
 */
export class MemoryBooks {
  readonly cases: CaseRow[] = [];
  readonly #subjects: readonly Subject[];
  readonly #terms: OperatorTerms;
  readonly #rows: MatchedRow[] = [];
  readonly #outcomes = new Map<string, Outcome | null>();
  readonly #settled: (PlannedTransfer & { readonly paymentId: string })[] = [];
  readonly #corrections: Correction[] = [];

  constructor(subjects: readonly Subject[], terms = NO_TERMS) {
    this.#subjects = subjects;
    this.#terms = terms;
    for (const { paymentId } of subjects) this.#outcomes.set(paymentId, null);
  }

  get open(): CaseRow[] {
    return this.cases.filter(({ resolvedAt }) => resolvedAt === null);
  }

  /** Our money with the operator: in the accounts of this vendor, or in our own. */
  balance(vendorId: number): bigint {
    return [...(vendorId === HOUSE ? [] : this.#settled), ...this.#transfers(vendorId)].reduce(
      (sum, transfer) =>
        sum +
        changeOf(`operator:${OPERATOR}`, transfer) +
        changeOf(`receivable:${OPERATOR}`, transfer),
      0n,
    );
  }

  #transfers(vendorId: number): PlannedTransfer[] {
    return this.#corrections
      .filter((one) => one.vendorId === vendorId)
      .flatMap((one) => one.transfers);
  }

  /** What the vendor was charged for it, without the operator's terms. */
  charged({ paymentId }: Subject): bigint {
    const posted = [
      ...this.#settled.filter((one) => one.paymentId === paymentId),
      ...this.#correctionsOf(VENDOR, paymentId),
    ];
    return posted
      .filter((one) => !isOwnTerms(one))
      .reduce((sum, one) => sum + changeOf(`operator:${OPERATOR}`, one), 0n);
  }

  #correctionsOf(vendorId: number, paymentId: string): PlannedTransfer[] {
    return this.#corrections
      .filter((one) => one.vendorId === vendorId && one.paymentId === paymentId)
      .flatMap((one) => one.transfers);
  }

  settle({ paymentId, amountCents }: Subject, outcome: Outcome, paidCents = amountCents): void {
    this.#outcomes.set(paymentId, outcome);
    if (outcome === 'failed') return;
    const posted = paidCents < amountCents ? paidCents : amountCents;
    const { costCents, commissionCents } = termsOf(this.#terms, posted);
    const from = this.#terms.commissionNetted
      ? `operator:${OPERATOR}`
      : `commission_due:${OPERATOR}`;
    const legs = [
      ['float', `operator:${OPERATOR}`, posted],
      [`cost:${OPERATOR}`, `operator:${OPERATOR}`, costCents],
      [from, `commission:${OPERATOR}`, commissionCents],
    ] as const;
    for (const [debitAccount, creditAccount, cents] of legs) {
      if (cents <= 0n) continue;
      const transfer = { vendorId: VENDOR, debitAccount, creditAccount, amountCents: cents };
      this.#settled.push({ ...transfer, paymentId });
    }
  }

  payment(subject: Subject): PricedPayment {
    const { paymentId, reference, amountCents } = subject;
    const corrections = this.#corrections.filter((one) => one.paymentId === paymentId);
    const ofVendor = corrections.filter(({ vendorId }) => vendorId === VENDOR);
    const operator = [
      ...this.#settled.filter((one) => one.paymentId === paymentId),
      ...ofVendor.flatMap(({ transfers }) => transfers),
    ];
    const netPostedCents = sumOf(`operator:${OPERATOR}`, operator);
    return {
      ...{ vendorId: VENDOR, paymentId, reference, billerCode: OPERATOR, account: paymentId },
      ...{ amountCents, outcome: this.#outcomes.get(paymentId) ?? null, billerReference: null },
      ...{ firstSentAt: new Date(0), lastSentAt: new Date(0), settledAt: new Date(1) },
      ...{ underWay: false, openVersion: null, paidElsewhere: false },
      postedCents: this.charged(subject),
      netPostedCents,
      netCents: takenCents(this.#terms, amountCents),
      hasOtherTerms: ofVendor.some(({ resolution }) => resolution === 'terms_differ'),
      houseCents: this.#houseCents(paymentId),
      ...this.#listed(paymentId),
      ...{ feeCents: 0n, vatCents: 0n, terms: this.#terms },
      otherTerms: otherTermsOf(this.#terms, this.charged(subject), {
        costCents: -sumOf(`cost:${OPERATOR}`, operator),
        commissionCents: sumOf(
          `commission:${OPERATOR}`,
          operator.filter((one) => changeOf(`operator:${OPERATOR}`, one) !== 0n),
        ),
      }),
    };
  }

  #houseCents(paymentId: string): bigint {
    return this.#corrections
      .filter((one) => one.vendorId === HOUSE && one.paymentId === paymentId)
      .reduce((sum, { resolution, transfers }) => {
        const cents = transfers.reduce((all, one) => all + one.amountCents, 0n);
        return ['receivable_returned', 'house_recovers'].includes(resolution)
          ? sum - cents
          : sum + cents;
      }, 0n);
  }

  #listed(
    paymentId: string,
  ): Pick<OurPayment, 'listedCents' | 'listedPayments' | 'isListed' | 'isRevised'> {
    const latest = new Map<string, MatchedRow>();
    const of = this.#rows.filter(({ payment }) => payment?.paymentId === paymentId);
    for (const row of of) latest.set(keyOf(row.movement), row);
    const movements = [...latest.values()].map(({ movement }) => movement);
    const signed = (payment: bigint, one: StatementMovement): bigint =>
      one.kind === 'payment' ? payment : -payment;
    return {
      listedCents: movements.reduce((sum, one) => sum + signed(one.amountCents, one), 0n),
      listedPayments: Number(movements.reduce((sum, one) => sum + signed(1n, one), 0n)),
      isListed: movements.length > 0,
      isRevised: of.some(
        ({ movement, verdict }) => movement.kind === 'reversal' || verdict === 'changed',
      ),
    };
  }

  importStatement(movements: readonly StatementMovement[]): Readonly<Record<string, number>> {
    const known = this.#known(movements);
    const named = new Set(movements.map(({ reference }) => reference));
    const loaded = this.#subjects
      .filter(({ isLost, reference }) => !isLost && named.has(reference))
      .map((one) => this.payment(one));
    const payments = withChanges(loaded, movements, known);
    const fresh = movements.filter((movement) => !known.has(keyOf(movement)));
    const rows = rowsOf(matchStatement(fresh, payments, { toleranceMs: 0 }), movements, known);
    this.#rows.push(...rows);
    const found = {
      ...{ statementId: 's', operator: OPERATOR, from: new Date(0), to: new Date(1), rows },
      read: { openingCents: null, closingCents: null },
      absences: { oursOnly: [], notPaid: [] },
    };
    for (const opened of casesOfRows(found, this.#lost(rows), contestedBy(rows, this.cases))) {
      this.#open(opened);
    }
    for (const { report } of reportsOf(rows, OPERATOR)) this.#report(report);
    const verdicts: Record<string, number> = {};
    for (const { verdict } of rows) verdicts[verdict] = (verdicts[verdict] ?? 0) + 1;
    return verdicts;
  }

  #known(movements: readonly StatementMovement[]): Map<string, KnownMovement> {
    const known = new Map<string, KnownMovement>();
    const named = new Set(movements.map(keyOf));
    for (const { movement, verdict, payment } of this.#rows) {
      const key = keyOf(movement);
      if (!named.has(key) || verdict === 'repeated') continue;
      const before = known.get(key);
      const about = before ?? {
        paymentId: payment?.paymentId ?? null,
        vendorId: payment?.vendorId ?? null,
      };
      const { paymentId, vendorId } = about;
      known.set(key, { ...movement, paymentId, vendorId });
    }
    return known;
  }

  #lost(rows: readonly MatchedRow[]): Map<string, { vendorId: number; paymentId: string }> {
    const lost = new Map<string, { vendorId: number; paymentId: string }>();
    for (const { verdict, payment, movement } of rows) {
      if (!['theirs_only', 'changed'].includes(verdict)) continue;
      if (payment !== null || movement.reference === null) continue;
      const subject = this.#subjects.find(({ reference }) => reference === movement.reference);
      if (subject === undefined) throw new Error('a reference of no payment');
      lost.set(movement.reference, { vendorId: VENDOR, paymentId: subject.paymentId });
    }
    return lost;
  }

  #open(opened: NewCase): void {
    const { kind, paymentId, evidenceId } = opened;
    const isOpen = this.open.some(
      (one) => one.kind === kind && one.paymentId === paymentId && one.evidenceId === evidenceId,
    );
    if (isOpen) return;
    this.cases.push({
      ...opened,
      facts: { ...opened.facts },
      ...{ vid: null, caseId: `${this.cases.length}`, paymentCents: null, openedAt: new Date(0) },
      ...{ proposedBy: null, resolution: null, resolvedBy: null, resolvedAt: null },
    });
  }

  /** As `settle_payments` does. */
  #report(report: ReturnType<typeof reportsOf>[number]['report']): void {
    const subject = this.#subjects.find(({ paymentId }) => paymentId === report.paymentId);
    if (subject === undefined) throw new Error('a report about no payment');
    const { paymentId, amountCents } = subject;
    const outcome = this.#outcomes.get(paymentId) ?? null;
    if (outcome === report.outcome) return;
    const { vendorId, outcome: operator_says, paidCents } = report;
    const paid_cents = paidCents === null ? null : Number(paidCents);
    const about = { vendorId, paymentId, evidenceId: null, operatorCode: OPERATOR };
    const facts = {
      operator_says,
      source: 'statement',
      amount_cents: Number(amountCents),
      paid_cents,
    };
    if (outcome !== null) {
      this.#open({ ...about, kind: 'contradiction', facts: { ...facts, books_say: outcome } });
      return;
    }
    this.settle(subject, report.outcome, paidCents ?? amountCents);
    if (report.outcome === 'success' && paidCents !== amountCents) {
      this.#open({ ...about, kind: 'amount_difference', facts: { ...facts, books_say: null } });
    }
  }

  /** False: it is refused. @param given the amount that the proposer enters. */
  resolve(row: CaseRow, resolution: string, given?: bigint): boolean {
    const plan = planOf(this.#situation(row), resolution, given);
    if (plan === undefined) return false;
    const was = this.#unclaimed(row);
    if (plan.kind === 'settle') throw new Error('people settle nothing here');
    if (plan.kind === 'correct') {
      const [first] = plan.transfers;
      if (first === undefined) throw new Error('a correction without a transfer');
      const { paymentId } = row;
      this.#corrections.push({
        vendorId: first.vendorId,
        paymentId,
        resolution,
        transfers: plan.transfers,
      });
      if (plan.outcomeAfter !== null && paymentId !== null)
        this.#outcomes.set(paymentId, plan.outcomeAfter);
    }
    row.resolution = resolution;
    row.resolvedAt = new Date(0);
    const is = this.#unclaimed(row);
    if (plan.kind !== 'correct' || given !== undefined || !was || !is) return true;
    const rest = restCase(row, was, is, `c${this.#corrections.length}`);
    if (rest) this.#open(rest);
    return true;
  }

  #unclaimed(row: CaseRow): Unclaimed | undefined {
    const subject = this.#subjects.find(({ paymentId }) => paymentId === row.paymentId);
    if (subject === undefined) return undefined;
    const open = this.open.filter(({ paymentId }) => paymentId === row.paymentId);
    const payment = subject.isLost ? this.#lostPayment(subject) : this.payment(subject);
    return unclaimedOf(row, payment, open);
  }

  #situation(row: CaseRow): Situation {
    const subject = this.#subjects.find(({ paymentId }) => paymentId === row.paymentId);
    return {
      row,
      payment: subject === undefined || subject.isLost ? null : this.payment(subject),
      lost: subject?.isLost ? this.#lostPayment(subject) : null,
      ...{ floatCents: MUCH, collectedCents: 0n, exposureCents: 0n, keptCents: 0n },
      ...{ borneCents: MUCH, receivableCents: MUCH },
    };
  }

  #lostPayment({ paymentId }: Subject): LostPayment {
    const about = this.#corrections.filter((one) => one.paymentId === paymentId);
    const posted = this.#correctionsOf(VENDOR, paymentId);
    const isCharge = about.some(({ resolution }) => resolution === 'charge_vendor');
    return {
      ...{ vendorId: VENDOR, feePrice: null, terms: this.#terms, known: false, posted },
      chargedBy: isCharge ? 'an earlier one' : null,
      houseCents: this.#houseCents(paymentId),
      calledCents: 0n,
      ...listedOfLost(
        this.cases.filter((one) => one.paymentId === paymentId),
        OPERATOR,
      ),
    };
  }
}

/** The resolutions of a case that post something, as people may try them. */
export function postingResolutions({ kind }: CaseRow): string[] {
  return resolutionsOf(kind).filter((one) => !['keep_books', 'paid', 'failed'].includes(one));
}

const isOwnTerms = ({ debitAccount, creditAccount }: PlannedTransfer): boolean =>
  isOwnTermsAccount(debitAccount) || isOwnTermsAccount(creditAccount);

function changeOf(
  account: string,
  { debitAccount, creditAccount, amountCents }: PlannedTransfer,
): bigint {
  return amountCents * BigInt(Number(creditAccount === account) - Number(debitAccount === account));
}

function sumOf(account: string, transfers: readonly PlannedTransfer[]): bigint {
  return transfers.reduce((sum, one) => sum + changeOf(account, one), 0n);
}
