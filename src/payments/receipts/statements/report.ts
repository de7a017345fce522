import { cleanMessage } from '../../../platform/base/clean-text.ts';
import { isFarAhead } from '../../collections/collect.ts';
import { MPESA } from '../../../connectors/source.ts';
import { plainReference } from '../../../platform/base/written-alike.ts';
import type { ReceiptReport } from '../receipt.ts';
import type { SourceRow } from '../sources-store.ts';
import type {
  LinePatterns,
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
  source: Pick<SourceRow, 'sourceCode' | 'collector'>,
  patterns: LinePatterns,
  line: StatementLine,
): ReceiptReport {
  const { account, receipt: found, otherReadings, mayBePart } = readText(line.text, patterns);
  const payer = cleanMessage(line.text).trim();
  const own = bankNumber(line.reference);
  const number = found ?? own ?? '';
  return {
    issuer: found === undefined ? source.sourceCode : MPESA,
    receipt: number,
    sourceCode: source.sourceCode,
    collector: source.collector,
    channel: 'statement',
    amountCents: line.amountCents,
    paidAt: line.at,
    account,
    payer: payer === '' ? null : payer.slice(0, 100).toWellFormed(),
    batch: bankNumber(line.batch ?? '') ?? null,
    named: namedNumbers(line.text).filter((other) => other !== plainReference(number)),
    ...(otherReadings !== undefined && { otherReadings }),
    ...(mayBePart && { mayBePart }),
    ...(line.isReturn && { isReturn: true }),
    ...(line.kind === 'credit_returned' && { returns: numbersIn(line.text) }),
  };
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
