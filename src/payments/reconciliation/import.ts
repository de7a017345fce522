import { crashPoint } from '#crash-points';
import { newId } from '../../platform/base/ids.ts';
import { decodeReference } from '../../parties/reference.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import { databaseTransaction } from '../../platform/db/pool.ts';
import type { Mac } from '../../platform/base/mac.ts';
import { bookStatement } from '../house/book-statement.ts';
import type { Booked, StatementContent } from '../house/book-statement.ts';
import { listStatementChanges } from '../cases/statement-cases-store.ts';
import { openDifferences } from './differences.ts';
import type { EndedPayment } from './differences.ts';
import type { MatchedRow } from './case-facts.ts';
import { findAbsences, withoutLookalikes } from './absences.ts';
import { matchStatement, unexplainedCents } from './match.ts';
import type { Match, OurPayment } from './match.ts';
import { listFormerTimes } from './statement-format.ts';
import type { ReadStatement } from './read-statement.ts';
import {
  batches,
  beginImport,
  countVerdicts,
  findStatement,
  insertRows,
  insertStatement,
  listKnownMovements,
  listPaymentKeys,
  readDatabaseTime,
  readPayments,
} from './store.ts';
import { readCoverage } from './covered-store.ts';
import { listUnplaced } from './unplaced-store.ts';
import { findRenumbered } from './renumbered.ts';
import { keyOf, rowsOf, withChanges } from './rows.ts';
import { isRevised, listFormer } from './revised-store.ts';
import type { KnownMovement } from './store.ts';
import type { PaymentKey } from '../create/payment.ts';
import { effectCents } from './statement.ts';
import type { StatementFormat, StatementMovement } from '../../connectors/operator-statements.ts';

/** A statement, however it came. */
export interface StatementImport {
  readonly ledgerMac: Mac;
  readonly operator: string;
  readonly format: Pick<StatementFormat, 'absenceIsProof' | 'acceptanceWindowMs' | 'payDeadlineMs'>;
  readonly from: Date;
  readonly to: Date;
  readonly complete: boolean;
  /** See `MatchOptions`. */
  readonly toleranceMs: number;
  readonly onProgress?: (text: string) => void;
}

/** Our float with the operator over the period, in cents, all according to the statement. */
export interface FloatProof {
  readonly openingCents: bigint | null;
  readonly closingCents: bigint | null;
  readonly topUpCents: bigint;
  readonly chargeCents: bigint;
  readonly paymentCents: bigint;
  readonly reversalCents: bigint;
  /** The part of payments less reversals that our ledger does not have; see `unexplainedCents`. */
  readonly unexplainedCents: bigint;
}

export interface Imported {
  readonly kind: 'imported';
  readonly statementId: string;
  /** The file was imported before, and nothing was done now. */
  readonly repeated: boolean;
  readonly verdicts: Readonly<Record<string, number>>;
  readonly oursOnly: number;
  readonly notPaid: number;
  readonly casesOpened: number;
  readonly ended: readonly EndedPayment[];
  readonly float: FloatProof | null;
  /** Sums booked in the accounts of the house; null for a repeated file. */
  readonly booked: Booked | null;
}

/** A statement as it was read, from a file or from the operator itself. */
export interface TakenStatement extends Omit<ReadStatement, 'problems'> {
  readonly pulled: boolean;
}

/**
 * Imports a statement that was read without problems: all of it in one commit, or nothing. The same content again
 * changes nothing; a movement that was in an earlier statement is not counted twice.
 * Throws: `PlainError` if the period is not over.
 */
export async function importRead(
  request: StatementImport & { readonly pool: Pool },
  read: TakenStatement,
): Promise<Imported> {
  const result = await databaseTransaction(request.pool, async (client) => {
    const taken = await importWithin(client, request, read);
    crashPoint('statement:before-commit');
    return taken;
  });
  crashPoint('statement:after-commit');
  return result;
}

/** Imports a statement like `importRead`, but in the caller's database transaction. */
export async function importWithin(
  client: Queryable,
  request: StatementImport,
  read: TakenStatement,
): Promise<Imported> {
  const { operator } = request;
  await beginImport(client, operator);
  const known = await findStatement(client, operator, read.sha256);
  if (known !== undefined) {
    const same =
      Number(known.periodStart) === Number(request.from) &&
      Number(known.periodEnd) === Number(request.to) &&
      known.complete === request.complete;
    if (!same) {
      throw new PlainError('This file was already imported as the statement of another period.');
    }
    // The operator may take a revision back by issuing the file before it again: the last one counts.
    if (!(await isRevised(client, known.statementId))) {
      return await repeatedResult(client, known.statementId);
    }
  }
  if (request.to > (await readDatabaseTime(client))) {
    throw new PlainError('The period is not over yet. Import its statement when it is.', {
      field: 'to',
    });
  }
  return await take(client, request, { ...read, issue: (known?.issue ?? 0) + 1 });
}

async function repeatedResult(db: Queryable, statementId: string): Promise<Imported> {
  const verdicts = await countVerdicts(db, statementId);
  const nothing = { oursOnly: 0, notPaid: 0, casesOpened: 0, ended: [], float: null, booked: null };
  return { kind: 'imported', statementId, repeated: true, verdicts, ...nothing };
}

async function take(
  db: Queryable,
  request: StatementImport,
  read: TakenStatement & { readonly issue: number },
): Promise<Imported> {
  const { operator } = request;
  const statementId = newId();
  await insertStatement(db, {
    statementId,
    operator,
    periodStart: request.from,
    periodEnd: request.to,
    fileSha256: read.sha256,
    complete: request.complete,
    openingCents: read.openingCents,
    closingCents: read.closingCents,
    pulled: read.pulled,
    issue: read.issue,
  });
  const known = await knownMovements(db, operator, read.movements);
  await addRenumbered(db, request, read.movements, known);
  const named = [...read.movements, ...known.values()];
  const payments = withChanges(await loadPayments(db, request, named), read.movements, known);
  const fresh = read.movements.filter((movement) => !known.has(keyOf(movement)));
  const matches = matchStatement(fresh, payments, request);
  const rows = rowsOf(matches, read.movements, known);
  await writeRows(db, { ...request, statementId }, rows);
  const listed = new Set(matches.flatMap((match) => [match.payment, match.candidate]));
  const absent = payments.filter((payment) => payment.listedPayments <= 0 && !listed.has(payment));
  const found = findAbsences(absent, await readCoverage(db, operator, 'all'), {
    ...request,
    ...request.format,
    former: request.format.absenceIsProof ? await listFormerTimes(db, operator) : [],
    proves: await readCoverage(db, operator, 'proofs'),
  });
  const absences = { ...found, notPaid: await certainlyNotPaid(db, request, found.notPaid) };
  const opened = await openDifferences(db, { ...request, statementId, read, rows, absences });
  const booked = await bookStatement(db, request.ledgerMac, {
    ...contentOf(rows),
    statementId,
    operatorCode: operator,
    from: request.from,
    openingCents: read.openingCents,
  });
  return {
    kind: 'imported',
    statementId,
    repeated: false,
    verdicts: await countVerdicts(db, statementId),
    ...opened,
    float: proofOf(read, matches, known),
    booked,
  };
}

/** The rows of this statement are written. */
async function certainlyNotPaid(
  db: Queryable,
  request: StatementImport,
  notPaid: readonly OurPayment[],
): Promise<readonly OurPayment[]> {
  const [first] = notPaid.map(({ firstSentAt }) => Number(firstSentAt)).toSorted((a, b) => a - b);
  if (first === undefined) return [];
  const since = new Date(first - request.toleranceMs);
  return withoutLookalikes(notPaid, await listUnplaced(db, request.operator, since), request);
}

async function writeRows(
  db: Queryable,
  statement: Pick<StatementImport, 'operator' | 'onProgress'> & { readonly statementId: string },
  rows: readonly MatchedRow[],
): Promise<void> {
  let written = 0;
  for (const batch of batches(rows)) {
    await insertRows(db, statement, batch);
    written += batch.length;
    statement.onProgress?.(`matched and written: ${written} of ${rows.length}`);
  }
}

/** Selects rows that the accounts of the house take: new ones that are no payments. */
function contentOf(rows: readonly MatchedRow[]): Pick<StatementContent, 'topUps' | 'charges'> {
  const noted = rows.filter(({ verdict }) => verdict === 'noted');
  const of = (kind: StatementMovement['kind']) =>
    noted
      .filter(({ movement }) => movement.kind === kind)
      .map(({ rowId, movement: { operatorReference, amountCents, at } }) => ({
        rowId,
        operatorReference,
        amountCents,
        at,
      }));
  return { topUps: of('top_up'), charges: of('charge') };
}

async function knownMovements(
  db: Queryable,
  operator: string,
  movements: readonly StatementMovement[],
): Promise<Map<string, KnownMovement>> {
  const known = new Map<string, KnownMovement>();
  for (const batch of batches(movements)) {
    for (const row of await listKnownMovements(db, operator, batch)) known.set(keyOf(row), row);
  }
  if (known.size === 0) return known;
  // The last statement counts: people have decided the change from the one before, or will.
  for (const { reference, amountCents, ...key } of await listStatementChanges(db, operator)) {
    const before = known.get(keyOf(key));
    if (before !== undefined) known.set(keyOf(key), { ...before, reference, amountCents });
  }
  return known;
}

/** Adds the movements that are known under other references, so that they are not booked again. */
async function addRenumbered(
  db: Queryable,
  { operator, from, to }: Pick<StatementImport, 'operator' | 'from' | 'to'>,
  movements: readonly StatementMovement[],
  known: Map<string, KnownMovement>,
): Promise<void> {
  const fresh = movements.filter(
    (movement) =>
      (movement.kind === 'top_up' || movement.kind === 'charge') && !known.has(keyOf(movement)),
  );
  if (fresh.length === 0) return;
  const former = await listFormer(db, operator, { from, to });
  const listed = new Set(movements.map(keyOf));
  for (const [movement, before] of findRenumbered(fresh, former, { listed, keyOf })) {
    known.set(keyOf(movement), { ...before, reference: movement.reference });
  }
}

/** Every payment that a movement names, and those that the period should list. */
async function loadPayments(
  db: Queryable,
  request: StatementImport,
  movements: readonly { readonly reference: string | null }[],
): Promise<OurPayment[]> {
  const keys = new Map<string, PaymentKey>();
  for (const { reference } of movements) {
    const key = reference === null ? undefined : decodeReference(reference);
    if (key !== undefined) keys.set(key.paymentId, key);
  }
  const period = {
    from: new Date(Number(request.from) - request.toleranceMs),
    to: new Date(Number(request.to) + request.toleranceMs),
  };
  for (const key of await listPaymentKeys(db, request.operator, period)) {
    keys.set(key.paymentId, key);
  }
  const payments: OurPayment[] = [];
  for (const batch of batches([...keys.values()])) {
    payments.push(...(await readPayments(db, request.operator, batch)));
  }
  return payments;
}

function proofOf(
  read: TakenStatement,
  matches: readonly Match[],
  known: ReadonlyMap<string, KnownMovement>,
): FloatProof {
  const sum = (kind: StatementMovement['kind']): bigint =>
    read.movements.reduce((total, row) => total + (row.kind === kind ? row.amountCents : 0n), 0n);
  const changedCents = read.movements
    .filter((row) => row.kind === 'payment' || row.kind === 'reversal')
    .reduce((total, row) => {
      const before = known.get(keyOf(row));
      return before === undefined ? total : total + effectCents(before) - effectCents(row);
    }, 0n);
  return {
    openingCents: read.openingCents,
    closingCents: read.closingCents,
    topUpCents: sum('top_up'),
    chargeCents: sum('charge'),
    paymentCents: sum('payment'),
    reversalCents: sum('reversal'),
    unexplainedCents: matches.reduce((total, row) => total + unexplainedCents(row), changedCents),
  };
}
