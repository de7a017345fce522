import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { readCsv } from '../../platform/csv-file.ts';
import { LIMITS } from '../../platform/base/limits.ts';
import { formatMoney } from '../../platform/base/money.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { effectCents } from './statement.ts';
import type {
  StatementEntry,
  StatementFormat,
  StatementMovement,
  StatementProblem,
} from '../../connectors/operator-statements.ts';

export interface ReadStatement {
  readonly sha256: Buffer;
  readonly movements: readonly StatementMovement[];
  readonly openingCents: bigint | null;
  readonly closingCents: bigint | null;
  /** In the order of lines; a statement with a problem must not be used. */
  readonly problems: readonly StatementProblem[];
}

export interface StatementRequest {
  readonly file: string;
  readonly format: StatementFormat;
  /** from <= time of a movement < to */
  readonly from: Date;
  readonly to: Date;
  /** It must begin with an opening balance and end with a closing balance that follows from it. */
  readonly complete: boolean;
  readonly onProgress?: (progress: { readonly lines: number; readonly percent: number }) => void;
}

const PROGRESS_LINES = 2_000;

/**
 * Reads a statement file and finds all of its problems.
 * Throws: `PlainError` if the file does not exist or is larger than the limit.
 */
export async function readStatementFile(request: StatementRequest): Promise<ReadStatement> {
  const bytes = await sizeOf(request.file);
  const sha256 = await hashOf(request.file);
  const problems: StatementProblem[] = [];
  const entries: StatementEntry[] = [];
  let lines = 0;
  for await (const record of readCsv(request.file)) {
    lines += 1;
    if (lines % PROGRESS_LINES === 0) {
      const percent = Math.floor((record.bytes / Math.max(bytes, 1)) * 100);
      request.onProgress?.({ lines, percent });
    }
    if (lines > LIMITS.statementLines + 1) {
      throw new PlainError(
        `The file has more than ${LIMITS.statementLines} lines. Ask the operator for shorter periods.`,
      );
    }
    const read = lines === 1 ? readHeader(record, request.format) : readRecord(record, request);
    if (Array.isArray(read)) problems.push(...(read as readonly StatementProblem[]));
    else if (read !== undefined) entries.push(read as StatementEntry);
    if (lines === 1 && problems.length > 0) break;
    if (problems.length >= LIMITS.statementProblems) break;
  }
  if (lines === 0) problems.push(headerProblem(request.format));
  return { sha256, ...judge(entries, problems, request) };
}

async function sizeOf(file: string): Promise<number> {
  let size: number;
  try {
    size = (await stat(file)).size;
  } catch (error) {
    throw new PlainError(`${file} cannot be read: ${(error as Error).message}`, { cause: error });
  }
  if (size <= LIMITS.statementFileBytes) return size;
  throw new PlainError(
    `The file is larger than ${LIMITS.statementFileBytes} bytes. Ask the operator for shorter periods.`,
  );
}

async function hashOf(file: string): Promise<Buffer> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest();
}

interface CsvRecord {
  readonly line: number;
  readonly values: readonly string[];
  readonly problem?: string;
}

function headerProblem(format: StatementFormat): StatementProblem {
  const text = `The first line must be ${format.columns.join(',')}`;
  return { line: 1, field: 'header', rule: 'columns', text };
}

function readHeader(
  record: CsvRecord,
  format: StatementFormat,
): readonly StatementProblem[] | undefined {
  return record.values.join(',') === format.columns.join(',') ? undefined : [headerProblem(format)];
}

function readRecord(
  record: CsvRecord,
  { format, from, to }: StatementRequest,
): StatementEntry | readonly StatementProblem[] {
  const { line, values, problem } = record;
  if (problem !== undefined) return [{ line, field: 'line', rule: 'csv', text: problem }];
  if (values.length !== format.columns.length) {
    const text = `There are ${values.length} values, ${format.columns.length} are required`;
    return [{ line, field: 'line', rule: 'columns', text }];
  }
  const entry = format.readLine(line, values);
  if ('length' in entry || !('at' in entry)) return entry;
  if (entry.at >= from && entry.at < to) return entry;
  return [{ line, field: 'time', rule: 'period', text: 'It is outside the given period' }];
}

/** Problems that only the whole file shows: duplicate references, balances that do not follow. */
function judge(
  entries: readonly StatementEntry[],
  found: readonly StatementProblem[],
  request: StatementRequest,
): Omit<ReadStatement, 'sha256'> {
  const problems = [...found];
  const movements: StatementMovement[] = [];
  const lineOf = new Map<string, number>();
  const balances = new Map<'opening' | 'closing', bigint>();
  for (const [index, entry] of entries.entries()) {
    const { kind, line } = entry;
    if (!('balanceCents' in entry)) {
      const key = `${kind} ${entry.operatorReference}`;
      const before = lineOf.get(key);
      if (before !== undefined) {
        const text = `The ${kind} ${entry.operatorReference} is already in line ${before}`;
        problems.push({ line, field: 'operator_reference', rule: 'unique', text });
      }
      lineOf.set(key, line);
      movements.push(entry);
    } else if (kind === 'opening' ? index !== 0 : index !== entries.length - 1) {
      const text = kind === 'opening' ? 'It must be the first entry' : 'It must be the last entry';
      problems.push({ line, field: 'type', rule: 'order', text });
    } else {
      balances.set(entry.kind, entry.balanceCents);
    }
  }
  const openingCents = balances.get('opening') ?? null;
  const closingCents = balances.get('closing') ?? null;
  if (request.complete && problems.length === 0) {
    const line = (entries.at(-1)?.line ?? 1) + (closingCents === null ? 1 : 0);
    problems.push(...judgeBalances({ openingCents, closingCents, movements }, line));
  }
  return {
    movements,
    openingCents,
    closingCents,
    problems: problems.toSorted((one, other) => one.line - other.line),
  };
}

function judgeBalances(
  read: Pick<ReadStatement, 'openingCents' | 'closingCents' | 'movements'>,
  line: number,
): StatementProblem[] {
  const { openingCents, closingCents } = read;
  if (openingCents === null || closingCents === null) {
    const [rule, what] =
      openingCents === null ? ['opening', 'an opening'] : ['closing', 'a closing'];
    const text = `A complete statement has ${what} balance (or import it with --incomplete)`;
    return [{ line, field: 'type', rule, text }];
  }
  const expectedCents = read.movements.reduce((sum, row) => sum + effectCents(row), openingCents);
  if (expectedCents === closingCents) return [];
  const text = `The closing balance is ${formatMoney(closingCents)}, but the opening balance and the movements give ${formatMoney(expectedCents)}: lines are missing or wrong`;
  return [{ line, field: 'amount', rule: 'balance', text }];
}
