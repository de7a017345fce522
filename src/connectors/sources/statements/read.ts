import { isUtf8 } from 'node:buffer';
import { readFile, stat } from 'node:fs/promises';
import type { WireTime } from '../../../platform/base/clock.ts';
import { LIMITS } from '../../../platform/base/limits.ts';
import { PlainError } from '../../../platform/base/plain-error.ts';
import { readCamt053 } from './camt053.ts';
import { readCsvStatement } from './csv.ts';
import type {
  BankStatements,
  LineProblem,
  StatementLine,
  ReadStatement,
} from '../../source-statements.ts';
import { readMt940 } from './mt940.ts';
import { numberingOf, readStatementSettings } from './settings.ts';
import type { StatementRules } from './settings.ts';

/** Throws an `Error` naming the source and the invalid setting. */
export function bankStatements(
  sourceCode: string,
  settings: Readonly<Record<string, unknown>>,
): BankStatements {
  const rules = readStatementSettings(sourceCode, settings);
  const { separateFrom, patterns } = rules;
  return {
    bankAccount: rules.statement.account,
    separateFrom,
    patterns,
    numbering: numberingOf(settings),
    read: async (file, { wireTime, acceptedLines }) => {
      const statement = { ...rules.statement, acceptedLines };
      return await readStatement(file, { ...rules, statement }, wireTime);
    },
  };
}

/**
 * The lines of a bank statement. A file that is not UTF-8 is read as Latin-1.
 * Throws: `PlainError` if the file is too large or has no end of problems.
 */
export async function readStatement(
  file: string,
  rules: StatementRules,
  wireTime: WireTime,
): Promise<ReadStatement> {
  const lines: StatementLine[] = [];
  const problems: LineProblem[] = [];
  for await (const line of await openStatement(file, rules, wireTime)) {
    if ('kind' in line) lines.push(line);
    else problems.push(line);
    if (problems.length >= LIMITS.statementProblems) break;
  }
  return { lines, problems };
}

async function openStatement(file: string, rules: StatementRules, wireTime: WireTime) {
  const { size } = await stat(file);
  if (size > LIMITS.bankStatementBytes) {
    const megabytes = LIMITS.bankStatementBytes / (1024 * 1024);
    throw new PlainError(`The file is larger than ${megabytes} MiB.`, { field: 'file' });
  }
  const bytes = await readFile(file);
  const encoding = isUtf8(bytes) ? 'utf8' : 'latin1';
  if (rules.csv !== undefined) {
    return readCsvStatement({ path: file, encoding }, rules.csv, wireTime);
  }
  const read = rules.format === 'mt940' ? readMt940 : readCamt053;
  return read(bytes.toString(encoding), rules.statement, wireTime);
}
