import type { Queryable } from '../../platform/db/pool.ts';
import { readPayment } from '../create/store.ts';
import { settlePayments } from '../settle/store.ts';
import type { FinalReport, PaymentKey, SettleResult } from '../create/payment.ts';
import { findVendorById } from '../../parties/store.ts';
import { newId } from '../../platform/base/ids.ts';
import { decodeReference } from '../../parties/reference.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { HOUSE, countCases, hadCase, openCase } from '../cases/cases-store.ts';
import type { CaseSubject, NewCase } from '../cases/cases-store.ts';
import { findFloatDifference } from '../cases/statement-cases-store.ts';
import { factsOf } from './case-facts.ts';
import type { Differences, MatchedRow } from './case-facts.ts';
import { findContested, furtherCase, withEvidence } from './further-cases.ts';
import { differenceCents, isListedNet, isOurs, isPostedNet, settledCents } from './match.ts';
import type { Match, OurPayment } from './match.ts';
import { countPayments } from './covered-store.ts';
import { batches, listStatements, setVerdict } from './store.ts';
import type { StatementRow } from './store.ts';
import { lockFloats } from '../ledger/store.ts';
import { lockStillUnderWay, recallInstructions } from '../dispatch/recall-store.ts';

export interface Opened {
  readonly oursOnly: number;
  readonly notPaid: number;
  readonly casesOpened: number;
  /** The payments that the statement ended. */
  readonly ended: readonly EndedPayment[];
}

export interface EndedPayment {
  /** `ipay_reference` */
  readonly reference: string;
  readonly outcome: 'success' | 'failed';
  readonly amountCents: bigint;
}

/**
 * Opens a case for every difference and settles what the statement proves, inside the caller's
 * database transaction. The vendors' floats are locked before the first case is opened, as whatever settles
 * does, and only when everything has been compared.
 */
export async function openDifferences(db: Queryable, found: Differences): Promise<Opened> {
  const lost = await findLost(db, found.rows);
  const { oursOnly, cases } = await casesOf(db, found, lost);
  const reports = reportsOf(found.rows, found.operator);
  const settling = [...reports.map(({ report }) => report), ...found.absences.notPaid];
  const vendorIds = new Set([...cases, ...settling].map(({ vendorId }) => vendorId));
  vendorIds.delete(HOUSE);
  if (vendorIds.size > 0) await lockFloats(db, [...vendorIds]);
  await requireNotArchived(db, cases, lost);
  let casesOpened = 0;
  for (const opened of cases) if ((await openCase(db, opened)) !== undefined) casesOpened += 1;
  const settled = await settleProven(db, found, reports);
  const { notPaid, ended } = settled;
  return { oursOnly, notPaid, ended, casesOpened: casesOpened + settled.cases };
}

/** The cases about what differs, and how many of them ask about payments that the statement does not list. */
async function casesOf(
  db: Queryable,
  found: Differences,
  lost: ReadonlyMap<string, CaseSubject>,
): Promise<{ readonly oursOnly: number; readonly cases: readonly NewCase[] }> {
  const cases: NewCase[] = [];
  const contested = await findContested(db, found.rows);
  for (const row of found.rows) {
    const opened = caseOf(row, found, lost);
    if (opened !== undefined) cases.push(withEvidence(row, opened, contested));
    const further = furtherCase(row, found, contested);
    if (further !== undefined) cases.push(further);
  }
  cases.push(...(await floatDifferences(db, found)));
  let oursOnly = 0;
  for (const payment of found.absences.oursOnly) {
    // Asked only once: people have answered it, or will.
    if (await hadCase(db, { ...payment, kind: 'ours_only' })) continue;
    oursOnly += 1;
    cases.push(oursOnlyCase(payment, found));
  }
  return { oursOnly, cases };
}

/** Throws: `PlainError` if a payment that the statement was compared with has been archived since. */
async function requireNotArchived(
  db: Queryable,
  cases: readonly NewCase[],
  lost: ReadonlyMap<string, CaseSubject>,
): Promise<void> {
  const missing = new Set([...lost.values()].map(({ paymentId }) => paymentId));
  const known = new Map<string, PaymentKey>();
  for (const { vendorId, paymentId } of cases) {
    if (paymentId === null || missing.has(paymentId)) continue;
    known.set(paymentId, { vendorId, paymentId });
  }
  if ((await countPayments(db, [...known.values()])) === known.size) return;
  throw new PlainError('A payment of this statement is being archived. Import it again.');
}

/**
 * The payments that our references in the statement name and the ledger does not have, by reference,
 * if their vendor exists: after a restore they are those of the missing period.
 */
async function findLost(
  db: Queryable,
  rows: readonly MatchedRow[],
): Promise<ReadonlyMap<string, CaseSubject>> {
  const lost = new Map<string, CaseSubject>();
  for (const { verdict, payment, match, movement } of rows) {
    if (verdict !== 'theirs_only' || payment !== null || match?.candidate) continue;
    const subject = movement.reference === null ? undefined : decodeReference(movement.reference);
    if (movement.reference === null || subject === undefined) continue;
    const { vendorId, paymentId } = subject;
    if (vendorId === HOUSE || (await findVendorById(db, vendorId)) === undefined) continue;
    // Not lost: it went through another operator.
    if ((await readPayment(db, vendorId, paymentId)) !== undefined) continue;
    lost.set(movement.reference, subject);
  }
  return lost;
}

function caseOf(
  row: MatchedRow,
  found: Differences,
  lost: ReadonlyMap<string, CaseSubject>,
): NewCase | undefined {
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
      return theirsOnlyCase({ ...about, kind: 'theirs_only', evidenceId: rowId }, match);
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
  return {
    ...about,
    kind: 'amount_difference',
    // As `settle` would open it: one case, whichever finds the difference first.
    evidenceId: null,
    facts: {
      ...about.facts,
      books_say: match?.payment && isOurs(match.payment) ? match.payment.outcome : 'success',
      operator_says: 'success',
      amount_cents: Number(match?.payment?.amountCents ?? 0n),
      biller_reference: match?.movement.operatorReference ?? null,
    },
  };
}

/**
 * Returns the case about our part of a difference in a settled payment, and about what the operator
 * returned more than it took, if there is any. `settle` opens the case about the vendor's part.
 */
function theirsOnlyCase(opened: NewCase, match: Match | null): NewCase | undefined {
  if (!match?.reported) return opened;
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

function oursOnlyCase(payment: OurPayment, found: Differences): NewCase {
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

/** A statement with the balances at its ends. */
type Balances = Pick<StatementRow, 'statementId' | 'openingCents' | 'closingCents'>;

/**
 * One statement's closing balance must be the next one's opening balance. Of several statements that begin
 * or end at the same time, the one that was imported last counts.
 */
async function floatDifferences(db: Queryable, found: Differences): Promise<NewCase[]> {
  const { from, to, statementId, read } = found;
  const others = (await listStatements(db, found))
    .filter((other) => other.statementId !== statementId)
    .toSorted((one, other) => Number(one.importedAt) - Number(other.importedAt));
  const ours = { statementId, ...read };
  const before = others.findLast(
    (other) => Number(other.periodEnd) === Number(from) && other.closingCents !== null,
  );
  const after = others.findLast(
    (other) => Number(other.periodStart) === Number(to) && other.openingCents !== null,
  );
  const differences = [
    before && (await floatDifference(db, found.operator, { before, after: ours, at: from })),
    after && (await floatDifference(db, found.operator, { before: ours, after, at: to })),
  ];
  return differences.filter((difference) => difference !== undefined);
}

/** Undefined if the balances are equal, or if a case, open or resolved, is about the same difference. */
async function floatDifference(
  db: Queryable,
  operator: string,
  { before, after, at }: { readonly before: Balances; readonly after: Balances; readonly at: Date },
): Promise<NewCase | undefined> {
  const { closingCents } = before;
  const { openingCents } = after;
  if (closingCents === null || openingCents === null) return undefined;
  const knownCents = await findFloatDifference(db, operator, at);
  if (closingCents - openingCents === knownCents) return undefined;
  return {
    vendorId: HOUSE,
    paymentId: null,
    kind: 'float_difference',
    // There may be an open case about the difference before.
    evidenceId: newId(),
    operatorCode: operator,
    facts: {
      source: 'statement',
      at: at.toISOString(),
      closing_cents: Number(closingCents),
      opening_cents: Number(openingCents),
      ...(knownCents === 0n ? {} : { difference_before_cents: Number(knownCents) }),
      closing_statement_id: before.statementId,
      opening_statement_id: after.statementId,
    },
  };
}

/**
 * Settles what the statement proves. Returns how many were proven not paid, and the cases it
 * opened. The caller holds the vendors' floats.
 */
async function settleProven(
  db: Queryable,
  { absences, operator }: Differences,
  rowReports: readonly RowReport[],
): Promise<Pick<Opened, 'notPaid' | 'ended'> & { readonly cases: number }> {
  const ended: EndedPayment[] = [];
  let cases = 0;
  for (const batch of batches(rowReports)) {
    const reports = batch.map(({ report }) => report);
    await recallInstructions(
      db,
      reports.filter(({ outcome }) => outcome === 'success'),
      operator,
    );
    const settled = await settleAll(db, reports);
    cases += settled.cases;
    for (const [index, { row, report }] of batch.entries()) {
      const { payment } = row.match ?? {};
      if (settled.results[index] === 'settled' && payment) ended.push(endedBy(payment, report));
      const verdict = verdictAfter(settled.results[index], report);
      if (verdict !== row.verdict) await setVerdict(db, row.rowId, verdict);
    }
  }
  let notPaid = 0;
  for (const batch of batches(absences.notPaid)) {
    const still = await lockStillUnderWay(db, batch);
    const proven = batch.filter((payment) => still.has(payment.paymentId));
    const settled = await settleAll(
      db,
      proven.map((payment) => reportOf(payment, { outcome: 'failed', row: null, operator })),
    );
    cases += settled.cases;
    const failed = proven.filter((_payment, index) => settled.results[index] === 'settled');
    ended.push(...failed.map((payment) => endedBy(payment, { outcome: 'failed' })));
    notPaid += failed.length;
  }
  return { notPaid, cases, ended };
}

function endedBy(
  { reference, amountCents }: OurPayment,
  { outcome }: Pick<FinalReport, 'outcome'>,
): EndedPayment {
  return { reference, amountCents, outcome };
}

interface RowReport {
  readonly row: MatchedRow;
  readonly report: FinalReport;
}

/** The rows' reports about payments, one per payment. */
function reportsOf(rows: readonly MatchedRow[], operator: string): RowReport[] {
  const reports = new Map<string, RowReport>();
  for (const row of rows) {
    const { payment, reported } = row.match ?? {};
    if (!payment || !reported || reports.has(payment.paymentId)) continue;
    reports.set(payment.paymentId, {
      row,
      report: reportOf(payment, { outcome: reported, row, operator }),
    });
  }
  return [...reports.values()];
}

function verdictAfter(result: SettleResult | undefined, report: FinalReport): string {
  if (result === 'contradicted') return 'theirs_only';
  return report.outcome === 'success' ? 'settled' : 'reversed';
}

async function settleAll(
  db: Queryable,
  reports: readonly FinalReport[],
): Promise<{ readonly results: readonly SettleResult[]; readonly cases: number }> {
  const before = await countCases(db, reports);
  const results = await settlePayments(db, reports);
  return { results, cases: (await countCases(db, reports)) - before };
}

function reportOf(
  payment: OurPayment,
  {
    outcome,
    row,
    operator,
  }: {
    readonly outcome: FinalReport['outcome'];
    readonly row: MatchedRow | null;
    readonly operator: string;
  },
): FinalReport {
  const { vendorId, paymentId, billerCode } = payment;
  const wasPaid = outcome === 'success';
  return {
    vendorId,
    paymentId,
    billerCode,
    outcome,
    paidCents: wasPaid && row !== null ? settledCents(payment, row.movement) : null,
    billerReference: wasPaid ? (row?.movement.operatorReference ?? null) : null,
    message: wasPaid
      ? 'Paid, as the operator’s statement says'
      : row === null
        ? 'Not executed: the operator’s statement does not list it'
        : 'Reversed, as the operator’s statement says',
    details: null,
    failureCode: wasPaid ? null : 'other',
    source: 'statement',
    operatorCode: operator,
  };
}
