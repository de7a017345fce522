import type { Pool, Queryable } from '../../../platform/db/pool.ts';
import { PlainError } from '../../../platform/base/plain-error.ts';
import { isWrittenAlike, plainReference } from '../../../platform/base/written-alike.ts';
import { formatMoney } from '../../../platform/base/money.ts';
import type { WireTime } from '../../../platform/base/clock.ts';
import { statementsOf } from '../../../connectors/registry.ts';
import { reportReversal, takeReversal, takeUnlessDebited } from '../reverse.ts';
import type { ReceiptReport } from '../receipt.ts';
import { findReturned, numbersReturned } from '../reversals.ts';
import { lockImports, unlockImports } from '../sources-store.ts';
import { insertBankLines, insertDebit } from '../store.ts';
import type { BankLine } from '../store.ts';
import { listKnownNumbers, listNumbered, listReceiptsOfEntry } from '../read-receipts.ts';
import type { SourceRow } from '../sources-store.ts';
import { takeReplaced } from '../take.ts';
import type { ReceiptDeps, Taken } from '../take.ts';
import type {
  LineProblem,
  StatementLine,
  StatementNote,
} from '../../../connectors/source-statements.ts';
import { findProblems, reportOf } from './report.ts';
import { asItSays } from './reversal-text.ts';
import type { ReportedLine } from './report.ts';

export interface Imported {
  readonly credited: number;
  readonly repeated: number;
  readonly waiting: number;
  readonly conflicts: number;
  readonly reversed: number;
  readonly debits: number;
  /** Money that came in from accounts of ours. */
  readonly no_payments: number;
  /** Not booked yet; a later statement has them. */
  readonly pending: number;
  /** Credits that the bank took back before we knew them: kept, and not credited when they come. */
  readonly unknown_returns: number;
}

export interface StatementFile {
  readonly file: string;
  readonly wireTime: WireTime;
  /** See `StatementReading`. */
  readonly acceptedLines?: ReadonlySet<number>;
}

/** A statement with what its lines report. */
export interface ReadFile {
  readonly lines: readonly ReportedLine[];
  /** Lines that are no movements, and how the file was read. */
  readonly notes: readonly StatementNote[];
}

/** Reads a statement. Throws: `PlainError` with the problems. */
export async function readReports(source: SourceRow, by: StatementFile): Promise<ReadFile> {
  const { file, wireTime, acceptedLines = new Set() } = by;
  const statements = statementsOf(source);
  if (statements === undefined) throw new Error(`source ${source.sourceCode} has no statements`);
  const { notes, problems, lines: read } = await statements.read(file, { wireTime, acceptedLines });
  const lines = read.map(asItSays).map((line) => {
    const isDayOnly = wireTime.format(line.at).endsWith(' 00:00:00');
    return { line, report: { ...reportOf(source, statements, line), isDayOnly } };
  });
  refuse(source, [...problems, ...findProblems(lines, Date.now())], notes);
  return { lines, notes };
}

/**
 * Takes the lines one by one; those that were taken before change nothing.
 * @param mayContinue throws if the lines must not be taken any more. Called before each batch.
 */
export async function takeLines(
  deps: ReceiptDeps,
  source: SourceRow,
  lines: readonly ReportedLine[],
  mayContinue?: () => Promise<void>,
): Promise<Imported> {
  const counts = {
    ...{ credited: 0, repeated: 0, waiting: 0, conflicts: 0 },
    ...{ reversed: 0, debits: 0, no_payments: 0, pending: 0, unknown_returns: 0 },
  };
  return await alone(deps.pool, source, async () => {
    await insertBankLines(deps.pool, source, bankLinesOf(lines));
    const sorted = await entriesInOrder(deps.pool, lines);
    for (const [index, entry] of sorted.entries()) {
      if (index % BATCH_ENTRIES === 0) await mayContinue?.();
      for (const taken of await takeEntry(deps, entry)) counts[taken] += 1;
    }
    for (const { line, nth } of othersOf(lines)) counts[await takeOther(deps, line, nth)] += 1;
    return counts;
  });
}

/** The lines that the bank has booked, as they are compared with our books. Pure. */
export function bankLinesOf(lines: readonly ReportedLine[]): BankLine[] {
  const seen = new Map<string, number>();
  return lines.flatMap(({ line, report }) => {
    const { kind, amountCents, at: bookedAt, reference } = line;
    if (kind === 'pending') return [];
    const isIn = kind === 'credit' || kind === 'debit_returned' || kind === 'no_payment';
    const content = JSON.stringify([bookedAt, reference, kind, String(amountCents)]);
    const nth = (seen.get(content) ?? 0) + 1;
    seen.set(content, nth);
    const { issuer, receipt } = report;
    const cents = isIn ? amountCents : -amountCents;
    return [{ bookedAt, amountCents: cents, nth, kind, issuer, receipt, reference }];
  });
}

/** Entries between two looks at whether they may be taken. */
const BATCH_ENTRIES = 100;

/**
 * The credits, by the entry of the bank that they are parts of. Whatever the bank’s order, what is known is taken
 * first: what is new is not compared with it. What went back is taken after what came in.
 */
export async function entriesInOrder(
  db: Queryable,
  lines: readonly ReportedLine[],
): Promise<readonly (readonly ReportedLine[])[]> {
  const known = await listKnownNumbers(
    db,
    lines.map(({ report }) => report.receipt),
  );
  const isKnown = ([first]: readonly ReportedLine[]) => known.has(first?.report.receipt ?? '');
  const entries = Map.groupBy(
    lines.filter(({ line }) => line.kind === 'credit'),
    ({ report }) => `${report.issuer} ${report.batch ?? report.receipt}`,
  );
  return [...entries.values()].toSorted(
    (one, other) => Number(isKnown(other)) - Number(isKnown(one)),
  );
}

/**
 * Two imports at a time could take one entry in two forms, as one receipt and in parts.
 * Throws: `PlainError` while another import to the source runs, or if the connection that keeps others away
 * was lost.
 */
async function alone<Result>(
  pool: Pool,
  { sourceCode }: SourceRow,
  work: () => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  const onError = (error: Error): void => {
    broken = error;
  };
  client.on('error', onError);
  try {
    if (!(await lockImports(client, sourceCode))) {
      throw new PlainError(`Another import to ${sourceCode} is running.`, { field: 'source' });
    }
    try {
      return await work();
    } finally {
      await unlockImports(client, sourceCode);
    }
  } catch (error) {
    throw broken === undefined ? error : new PlainError(LOST_TEXT, { cause: error });
  } finally {
    client.off('error', onError);
    client.release(broken);
  }
}

/**
 * Takes the credits of one entry of the bank. If an earlier file had it in another form (whole, in
 * other parts, with other amounts), what is new of it is for people: it could be credited twice.
 */
async function takeEntry(
  deps: ReceiptDeps,
  entry: readonly ReportedLine[],
): Promise<(keyof Imported)[]> {
  const [first] = entry;
  if (first === undefined) return [];
  const { issuer, receipt, batch } = first.report;
  const known = await listReceiptsOfEntry(deps.pool, issuer, batch ?? receipt);
  const listed = new Set(entry.map(({ report }) => report.receipt));
  const before = new Set(known.map((row) => row.receipt));
  const gone = known.find((row) => !listed.has(row.receipt));
  const taken: (keyof Imported)[] = [];
  for (const { report } of entry) {
    if (gone === undefined || before.has(report.receipt)) {
      taken.push(COUNTED[await takeUnlessDebited(deps, report)]);
    } else {
      await takeReplaced(deps, gone, report);
      taken.push('conflicts');
    }
  }
  return taken;
}

const COUNTED: Readonly<Record<Taken, keyof Imported>> = {
  credited: 'credited',
  repeated: 'repeated',
  reversed: 'reversed',
  conflict: 'conflicts',
  unmatched: 'waiting',
  unconfirmed: 'waiting',
  misdated: 'waiting',
  claimed: 'waiting',
};

/** The lines that are no credits, each with its position among equal ones: a bank may return one amount twice a day. */
export function othersOf(
  lines: readonly ReportedLine[],
): { readonly line: ReportedLine; readonly nth: number }[] {
  const seen = new Map<string, number>();
  return lines
    .filter(({ line }) => line.kind !== 'credit')
    .map((line) => {
      const { receipt, amountCents, paidAt } = line.report;
      const content = `${plainReference(receipt)} ${amountCents} ${paidAt.toISOString()}`;
      const nth = (seen.get(content) ?? 0) + 1;
      seen.set(content, nth);
      return { line, nth };
    });
}

/** Money that went out, or such money that came back: certainly no return of a credit. */
export function isOut({ kind, isMade, type }: StatementLine): boolean {
  return kind === 'debit_returned' || (kind === 'debit' && (isMade === true || type !== undefined));
}

async function takeOther(
  deps: ReceiptDeps,
  { line, report }: ReportedLine,
  nth: number,
): Promise<keyof Imported> {
  if (line.kind === 'pending') return 'pending';
  if (line.kind === 'no_payment') return 'no_payments';
  if (isOut(line)) return 'debits';
  const { amountCents } = report;
  const find = async () =>
    findReturned(await listNumbered(deps.pool, numbersReturned(report)), report);
  const isReturn = line.kind === 'credit_returned';
  let known = await find();
  if (known === undefined && !isReturn) {
    // Its credit may be in a statement that is imported later, or be reported at this moment.
    await insertDebit(deps.pool, report);
    known = await find();
  }
  // Banks book charges under the reference of the payment: only an equal amount is a return.
  if (!isReturn && known?.amountCents !== amountCents) return 'debits';
  const note = `bank statement, ${line.reference}, ${formatMoney(amountCents)}`;
  const key = returnKey(report, nth, known);
  if (known === undefined) {
    const isNew = await takeReversal(deps, report, { note, key });
    return isNew ? 'unknown_returns' : 'repeated';
  }
  const { sourceCode, paidAt: at } = report;
  const by = { actor: 'statement', sourceCode, note, cents: amountCents, at, key };
  const name = { issuer: known.issuer, receipt: known.receipt };
  return (await reportReversal(deps, name, by)) ? 'reversed' : 'repeated';
}

/** Tells a return apart from others of the receipt. @param known the receipt; it may only be named. */
export function returnKey(
  { paidAt, receipt }: Pick<ReceiptReport, 'paidAt' | 'receipt'>,
  nth: number,
  known: { readonly receipt: string } | undefined,
): string {
  const isNamed = known !== undefined && !isWrittenAlike(known.receipt, receipt);
  const own = isNamed ? ` ${plainReference(receipt)}` : '';
  return `${paidAt.toISOString()} ${nth}${own}`;
}

const LOST_TEXT =
  'The connection to the database was lost during the import. Import the file again: what was taken is not taken twice.';

const MAX_SHOWN = 10;

function refuse(
  { sourceCode }: SourceRow,
  problems: readonly LineProblem[],
  notes: readonly StatementNote[],
): void {
  if (problems.length === 0) return;
  const sorted = problems.toSorted((one, other) => one.line - other.line);
  const shown = sorted.slice(0, MAX_SHOWN).map(({ line, problem }) => `line ${line}: ${problem}`);
  const more = problems.length > MAX_SHOWN ? [`and ${problems.length - MAX_SHOWN} more`] : [];
  const form = notes.filter(({ note }) => note === 'form').map(({ text }) => `(read as ${text})`);
  const text = [`Nothing was imported to ${sourceCode}:`, ...shown, ...more, ...form].join('\n');
  throw new PlainError(text);
}
