import { readFile } from 'node:fs/promises';
import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { WireTime } from '../../../platform/base/clock.ts';
import { PlainError } from '../../../platform/base/plain-error.ts';
import { createSettingsReader } from '../../connectors/protocol.ts';
import { cleanMessage } from '../../connectors/text.ts';
import { reportReversal } from '../assign.ts';
import { normaliseAccount, readReceiptNumber } from '../receipt.ts';
import type { ReceiptReport } from '../receipt.ts';
import { MPESA } from '../sources.ts';
import type { SourceRow } from '../sources-store.ts';
import { takeReport } from '../take.ts';
import type { ReceiptDeps, Taken } from '../take.ts';
import { readCsvStatement } from './csv.ts';
import type { LineProblem, StatementLine } from './line.ts';
import { readMt940 } from './mt940.ts';

const title = Type.String({ minLength: 1, maxLength: 100 });
const pattern = Type.String({ maxLength: 200 });

const SETTINGS = Type.Object(
  {
    format: Type.Enum(['csv', 'mt940']),
    /** Titles of the columns of CSV. */
    columns: Type.Optional(
      Type.Object(
        { time: title, amount: title, reference: title, text: title },
        { additionalProperties: false },
      ),
    ),
    /** A regular expression whose first group is the account number in the purpose. */
    account_pattern: Type.Optional(pattern),
    /** The same for M-PESA’s receipt number: such a line is the same receipt as a confirmation. */
    receipt_pattern: Type.Optional(pattern),
  },
  { additionalProperties: false },
);
type StatementSettings = Static<typeof SETTINGS>;
const checkSettings = createSettingsReader(SETTINGS, 'source');

interface StatementRules {
  readonly columns: StatementSettings['columns'];
  readonly account: RegExp | undefined;
  readonly receipt: RegExp | undefined;
}

/** Throws an `Error` naming the source and the invalid setting. */
export function readStatementSettings(sourceCode: string, given: unknown): StatementRules {
  const settings = checkSettings(sourceCode, given);
  const { format, columns } = settings;
  if ((format === 'csv') !== (columns !== undefined)) {
    throw new Error(`source ${sourceCode}: columns are needed for csv, and only there`);
  }
  const compile = (text: string | undefined): RegExp | undefined => {
    try {
      return text === undefined ? undefined : new RegExp(text, 'u');
    } catch {
      throw new Error(`source ${sourceCode}: ${text} is not a regular expression`);
    }
  };
  return {
    columns,
    account: compile(settings.account_pattern),
    receipt: compile(settings.receipt_pattern),
  };
}

export interface Imported {
  readonly credited: number;
  readonly repeated: number;
  readonly waiting: number;
  readonly conflicts: number;
  readonly reversed: number;
  readonly debits: number;
}

/**
 * Takes every credit of a bank statement. A file with a line that cannot be read is refused whole.
 * Lines that were taken before change nothing, so an import can be repeated.
 * Throws: `PlainError` with the problems.
 */
export async function importStatement(
  deps: ReceiptDeps,
  source: SourceRow,
  by: { readonly file: string; readonly wireTime: WireTime },
): Promise<Imported> {
  const rules = readStatementSettings(source.sourceCode, source.settings);
  const lines = await readAll(source, rules, by);
  const counts = { credited: 0, repeated: 0, waiting: 0, conflicts: 0, reversed: 0, debits: 0 };
  for (const line of lines) counts[await takeLine(deps, source, rules, line)] += 1;
  return counts;
}

const COUNTED: Readonly<Record<Taken, keyof Imported>> = {
  credited: 'credited',
  repeated: 'repeated',
  conflict: 'conflicts',
  unmatched: 'waiting',
  unconfirmed: 'waiting',
  claimed: 'waiting',
};

async function takeLine(
  deps: ReceiptDeps,
  source: SourceRow,
  rules: StatementRules,
  line: StatementLine,
): Promise<keyof Imported> {
  const report = reportOf(source, rules, line);
  if (line.isCredit) return COUNTED[await takeReport(deps, report)];
  try {
    const { issuer, receipt } = report;
    const note = `bank statement, ${line.reference}`;
    await reportReversal(deps.pool, { issuer, receipt }, { actor: 'statement', note });
    return 'reversed';
  } catch (error) {
    // Money that went out, and not of a receipt.
    if (error instanceof PlainError) return 'debits';
    throw error;
  }
}

/** What a line reports. Without M-PESA’s number, the bank’s own reference is the receipt number. */
function reportOf(source: SourceRow, rules: StatementRules, line: StatementLine): ReceiptReport {
  const text = cleanMessage(line.text);
  const found = readReceiptNumber(rules.receipt?.exec(text)?.[1] ?? '');
  const account = rules.account?.exec(text)?.[1];
  return {
    issuer: found === undefined ? source.sourceCode : MPESA,
    receipt: found ?? ownNumber(line) ?? '',
    sourceCode: source.sourceCode,
    collector: source.collector,
    channel: 'statement',
    amountCents: line.amountCents,
    paidAt: line.at,
    account: account === undefined ? null : normaliseAccount(account),
    payer: text.trim() === '' ? null : text.trim().slice(0, 100).toWellFormed(),
  };
}

function ownNumber({ reference }: StatementLine): string | undefined {
  return readReceiptNumber(reference.replaceAll(/[^A-Za-z0-9]/g, ''));
}

const MAX_SHOWN = 10;

async function readAll(
  { sourceCode }: SourceRow,
  { columns }: StatementRules,
  { file, wireTime }: { readonly file: string; readonly wireTime: WireTime },
): Promise<StatementLine[]> {
  const lines: StatementLine[] = [];
  const problems: LineProblem[] = [];
  const read =
    columns === undefined
      ? readMt940(await readFile(file, 'utf8'), wireTime)
      : readCsvStatement(file, columns, wireTime);
  for await (const line of read) {
    if ('problem' in line) problems.push(line);
    else if (ownNumber(line) === undefined) {
      problems.push({
        line: line.line,
        problem: 'the reference is not 6 to 30 letters and digits',
      });
    } else lines.push(line);
  }
  if (problems.length === 0) return lines;
  const shown = problems.slice(0, MAX_SHOWN).map(({ line, problem }) => `line ${line}: ${problem}`);
  throw new PlainError(
    `Nothing was imported to ${sourceCode}, ${problems.length} lines cannot be read:\n${shown.join('\n')}`,
  );
}
