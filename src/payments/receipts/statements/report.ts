import { cleanMessage } from '../../../platform/base/clean-text.ts';
import { isFarAhead } from '../../collections/collect.ts';
import { MPESA, readReceiptNumber } from '../../../connectors/source.ts';
import { plainReference } from '../../../platform/base/written-alike.ts';
import { reportedAccount } from '../receipt.ts';
import type { ReceiptReport } from '../receipt.ts';
import type { SourceRow } from '../sources-store.ts';
import type {
  BankStatements,
  LineProblem,
  StatementLine,
} from '../../../connectors/source-statements.ts';
import { namedNumbers } from './named-numbers.ts';
import { readText } from './readings.ts';
import { numbersIn } from './reversal-text.ts';

/** A line of a statement with what it reports. */
export interface ReportedLine {
  readonly line: StatementLine;
  readonly report: ReceiptReport;
}

/**
 * Turns a line into a report of a receipt. Without M-PESA’s number, the bank’s own reference is the
 * receipt number; empty if it cannot be one.
 */
export function reportOf(
  source: Pick<SourceRow, 'sourceCode' | 'collector' | 'bank'>,
  statements: Pick<BankStatements, 'patterns' | 'issuer'>,
  line: StatementLine,
): ReceiptReport {
  const { receipt: found, ...read } = readText(line.text, statements.patterns);
  const issuer = found === undefined ? (statements.issuer ?? source.sourceCode) : MPESA;
  const payer = cleanMessage(line.payer || line.text).trim();
  const number = found ?? numberOf(line.reference, issuer) ?? '';
  const { account, ...doubts } = line.account ? accountOf(line.account) : read;
  return {
    issuer: line.isMade === true ? source.sourceCode : issuer,
    receipt: number,
    sourceCode: source.sourceCode,
    collector: source.collector,
    bank: source.bank,
    channel: 'statement',
    amountCents: line.amountCents,
    paidAt: line.at,
    account,
    payer: payer === '' ? null : payer.slice(0, 100).toWellFormed(),
    batch: bankNumber(line.batch ?? '') ?? null,
    ...(statements.issuer !== MPESA && {
      named: namedNumbers(line.text).filter((other) => other !== plainReference(number)),
    }),
    ...doubts,
    ...(line.isReturn && { isReturn: true }),
    ...(line.kind === 'credit_returned' && { returns: returnedBy(line) }),
    ...(line.isMade && { ownDoubt: { reason: 'no_reference', others: [number] } }),
    ...(line.isUnknownType && { ownDoubt: { reason: 'type', others: [line.type || 'no type'] } }),
  };
}

/** A column of its own has the whole account number, unless a spreadsheet took it for an amount. */
function accountOf(written: string): Pick<ReceiptReport, 'account' | 'mayLackZeros'> {
  return { account: reportedAccount(written), mayLackZeros: true };
}

function returnedBy({ returns = [], text }: StatementLine): readonly string[] {
  return returns.length === 0 ? numbersIn(text) : returns.map(plainReference);
}

/** M-PESA's numbers have one spelling; those of a bank are kept as they are written. */
function numberOf(reference: string, issuer: string): string | undefined {
  return issuer === MPESA ? readReceiptNumber(reference) : bankNumber(reference);
}

const MAX_WRITTEN = 60;

/**
 * A bank's reference as it is written, because `12/3456` and `123/456` are two. Undefined if it is not one of 6
 * to 40 letters and digits.
 */
function bankNumber(reference: string): string | undefined {
  const written = reference.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
  const { length } = plainReference(written);
  return length >= 6 && length <= 40 && written.length <= MAX_WRITTEN ? written : undefined;
}

/** Finds the faults of readable lines, alone or together. */
export function findProblems(lines: readonly ReportedLine[], nowMs: number): LineProblem[] {
  const problems: LineProblem[] = [];
  const first = new Map<string, number>();
  for (const { line: given, report } of lines) {
    const { line, kind, at, reference } = given;
    if (kind === 'pending') continue;
    if (report.receipt === '') {
      problems.push({ line, problem: 'the reference is not 6 to 40 letters and digits' });
    }
    if (isFarAhead(at, nowMs)) {
      problems.push({ line, problem: 'the time is in the future' });
    }
    if (kind !== 'credit' || report.receipt === '') continue;
    // The second one would be taken for a repeat of the first, and not be credited.
    const key = `${report.issuer} ${report.receipt}`;
    const other = first.get(key);
    if (other === undefined) first.set(key, line);
    else problems.push({ line, problem: `line ${other} has the reference ${reference} as well` });
  }
  return problems;
}
