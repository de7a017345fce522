import type { Queryable } from '../../platform/db/pool.ts';
import { readPayment } from '../create/store.ts';
import { settlePayments } from '../settle/store.ts';
import type { FinalReport, PaymentKey, SettleResult } from '../create/payment.ts';
import { findVendorById } from '../../parties/read-vendors.ts';
import { newId } from '../../platform/base/ids.ts';
import { decodeReference } from '../../parties/reference.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { HOUSE, countCases, hadCase, openCase } from '../cases/cases-store.ts';
import type { CaseSubject, NewCase } from '../cases/cases-store.ts';
import { findFloatDifference } from '../cases/statement-cases-store.ts';
import type { Differences, MatchedRow } from './case-facts.ts';
import { casesOfRows, oursOnlyCase } from './difference-cases.ts';
import { findContested } from './further-cases.ts';
import type { OurPayment } from './match.ts';
import { reportOf, reportsOf, verdictAfter } from './proven-reports.ts';
import type { RowReport } from './proven-reports.ts';
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
  const contested = await findContested(db, found.rows);
  const cases = [...casesOfRows(found, lost, contested), ...(await floatDifferences(db, found))];
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
  for (const { verdict, payment, match, movement, before } of rows) {
    if (payment !== null || match?.candidate) continue;
    const isChanged = verdict === 'changed' && before?.reference === movement.reference;
    if (verdict !== 'theirs_only' && !isChanged) continue;
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

async function settleAll(
  db: Queryable,
  reports: readonly FinalReport[],
): Promise<{ readonly results: readonly SettleResult[]; readonly cases: number }> {
  const before = await countCases(db, reports);
  const results = await settlePayments(db, reports);
  return { results, cases: (await countCases(db, reports)) - before };
}
