import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import type { WireTime } from '../../../platform/base/clock.ts';
import { LIMITS } from '../../../platform/base/limits.ts';
import { PlainError } from '../../../platform/base/plain-error.ts';
import { decodeText } from '../../../platform/base/text-encoding.ts';
import { nextTurn } from '../../../platform/base/turns.ts';
import { readLargeXml } from '../../../platform/base/xml.ts';
import { CAMT053_LIMITS, readCamt053 } from './camt053.ts';
import { readTableStatement } from './table.ts';
import type {
  BankStatements,
  LineProblem,
  StatementLine,
  StatementNote,
  ReadStatement,
} from '../../source-statements.ts';
import { readMt940 } from './mt940.ts';
import { numberingOf, readStatementSettings } from './settings.ts';
import type { StatementRules } from './settings.ts';

/** Lines that are read before other work has its turn. */
const LINES_AT_ONCE = 500;

/** Throws an `Error` naming the source and the invalid setting. */
export function bankStatements(
  sourceCode: string,
  settings: Readonly<Record<string, unknown>>,
): BankStatements {
  const rules = readStatementSettings(sourceCode, settings);
  const { separateFrom, patterns, issuer } = rules;
  return {
    issuer,
    bankAccount: rules.statement.account,
    separateFrom,
    patterns,
    numbering: numberingOf(settings),
    read: async (file, { wireTime, acceptedLines }) => {
      const statement = { ...rules.statement, acceptedLines };
      const table = rules.table && { ...rules.table, acceptedLines };
      return await readStatement(file, { ...rules, statement, table }, wireTime);
    },
  };
}

/**
 * The lines of a statement. How a file is encoded is recognised; one that is neither UTF-8 nor UTF-16 is read as
 * Windows-1252.
 * Throws: `PlainError` if the file is too large or has no end of problems.
 */
export async function readStatement(
  file: string,
  rules: Pick<StatementRules, 'format' | 'table' | 'statement'>,
  wireTime: WireTime,
): Promise<ReadStatement> {
  const lines: StatementLine[] = [];
  const problems: LineProblem[] = [];
  const notes: StatementNote[] = [];
  let count = 0;
  for await (const line of await openStatement(file, rules, wireTime)) {
    count += 1;
    if (count % LINES_AT_ONCE === 0) await nextTurn();
    if ('kind' in line) lines.push(line);
    else if ('note' in line) notes.push(line);
    else problems.push(line);
    if (problems.length >= LIMITS.statementProblems) break;
  }
  return { lines: withMadeReferences(lines), problems, notes };
}

async function openStatement(
  file: string,
  rules: Pick<StatementRules, 'format' | 'table' | 'statement'>,
  wireTime: WireTime,
): Promise<
  AsyncIterable<StatementLine | LineProblem | StatementNote> | Iterable<StatementLine | LineProblem>
> {
  const { size } = await stat(file);
  if (size > LIMITS.bankStatementBytes) {
    const megabytes = LIMITS.bankStatementBytes / (1024 * 1024);
    throw new PlainError(`The file is larger than ${megabytes} MiB.`, { field: 'file' });
  }
  const bytes = await readFile(file);
  if (rules.table !== undefined) return readTableStatement(bytes, rules.table, wireTime);
  const { text } = decodeText(bytes);
  if (rules.format === 'mt940') return readMt940(text, rules.statement, wireTime);
  const root = await readLargeXml(text, CAMT053_LIMITS);
  return readCamt053(root, rules.statement, wireTime);
}

/**
 * Gives lines without a reference of the bank one that is the same in every file that lists them: from the time, the
 * amount, the text, the balance if the file has it, and the position among lines that are equal in all of these.
 */
function withMadeReferences(lines: readonly StatementLine[]): readonly StatementLine[] {
  const seen = new Map<string, number>();
  return lines.map((line) => {
    if (line.reference !== '' || line.kind === 'pending') return line;
    const { at, kind, amountCents, text, balanceCents } = line;
    const content = [at.toISOString(), kind, amountCents, text, balanceCents ?? ''].map(String);
    const digest = createHash('sha256').update(JSON.stringify(content)).digest('hex');
    const nth = (seen.get(digest) ?? 0) + 1;
    seen.set(digest, nth);
    return { ...line, reference: `${digest.slice(0, 24).toUpperCase()}N${nth}`, isMade: true };
  });
}
