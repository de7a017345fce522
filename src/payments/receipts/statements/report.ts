import { cleanMessage } from '../../connectors/text.ts';
import { isFarAhead } from '../../collections/collect.ts';
import { MPESA, readReceiptNumber, reportedAccount } from '../receipt.ts';
import type { ReceiptReport } from '../receipt.ts';
import type { SourceRow } from '../sources-store.ts';
import type { LineProblem, StatementLine } from './line.ts';
import type { StatementRules } from './settings.ts';

/** A line of a statement with what it reports. */
export interface ReportedLine {
  readonly line: StatementLine;
  readonly report: ReceiptReport;
}

/**
 * What a line reports. Without M-PESA’s number, the bank’s own reference is the receipt number;
 * empty if it cannot be one.
 */
export function reportOf(
  source: Pick<SourceRow, 'sourceCode' | 'collector'>,
  rules: Pick<StatementRules, 'account' | 'receipt'>,
  line: StatementLine,
): ReceiptReport {
  const text = cleanMessage(line.text);
  const found = readReceiptNumber(rules.receipt?.exec(text)?.[1] ?? '');
  const own = bankNumber(line.reference);
  return {
    issuer: found === undefined ? source.sourceCode : MPESA,
    receipt: found ?? own ?? '',
    sourceCode: source.sourceCode,
    collector: source.collector,
    channel: 'statement',
    amountCents: line.amountCents,
    paidAt: line.at,
    account: reportedAccount(rules.account?.exec(text)?.[1]),
    payer: text.trim() === '' ? null : text.trim().slice(0, 100).toWellFormed(),
    batch: bankNumber(line.batch ?? '') ?? null,
  };
}

function bankNumber(reference: string): string | undefined {
  return readReceiptNumber(reference.replaceAll(/[^A-Za-z0-9]/g, ''));
}

/** What is wrong with lines that can be read, alone or together. */
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
