import { csvRows, DELIMITERS } from './csv.ts';
import type { Delimiter } from './csv.ts';
import { readSheets } from './sheet.ts';
import { decodeText } from './text-encoding.ts';
import type { DecodedText } from './text-encoding.ts';
import { isZip } from './zip.ts';

export interface TableRow {
  readonly line: number;
  readonly values: readonly string[];
  readonly problem?: string;
  /** Columns whose cells are numbers with a decimal point, in an Excel file. */
  readonly numbers?: ReadonlySet<number>;
}

/** A file read in one way. */
interface Table {
  /** The form of the file in words: “values separated by semicolons, UTF-8”. */
  readonly form: string;
  /** Undefined: an Excel file. */
  readonly delimiter: Delimiter | undefined;
  readonly rows: Iterable<TableRow>;
}

/** A table whose titles were found. */
export interface FoundTable<Name> extends Pick<Table, 'form' | 'delimiter'> {
  readonly titles: readonly string[];
  /** The line of the titles. */
  readonly line: number;
  /** The known columns, by their names. */
  readonly places: ReadonlyMap<Name, number>;
  /** The rows above the titles. */
  readonly above: readonly TableRow[];
  readonly rows: readonly TableRow[];
}

/** A row looked at as the titles of a table. */
export interface TitleMatch<Name> {
  readonly places: ReadonlyMap<Name, number>;
  /** Columns that the table must have, and that are not among the titles. */
  readonly missing: readonly string[];
  /** Why the titles cannot be taken, although no column is missing. */
  readonly problem?: string | undefined;
}

export interface TableProblem {
  readonly line: number;
  readonly problem: string;
}

/** The titles may be this far down: people put the account and the period above them. */
const MAX_LINES_ABOVE = 50;

const DELIMITER_NAMES: Readonly<Record<Delimiter, string>> = {
  ',': 'commas',
  ';': 'semicolons',
  '\t': 'tabs',
  '|': 'vertical bars',
};

/** The first bytes of Excel files from before 2007. */
const OLD_EXCEL = Buffer.from('d0cf11e0', 'hex');

/** Every way to read the file. Throws: `Error` if it is an Excel file that cannot be read. */
async function tablesOf(bytes: Buffer, decoded: DecodedText | undefined): Promise<Table[]> {
  if (isZip(bytes)) {
    return (await readSheets(bytes)).map(({ name, rows }) => ({
      ...{ form: `sheet “${name}” of an Excel file`, delimiter: undefined, rows },
    }));
  }
  if (bytes.subarray(0, OLD_EXCEL.length).equals(OLD_EXCEL)) {
    throw new Error('it has the old form (.xls); save it as .xlsx or as CSV');
  }
  const { text, encoding } = decoded ?? decodeText(bytes);
  return DELIMITERS.map((delimiter) => ({
    form: `values separated by ${DELIMITER_NAMES[delimiter]}, ${encoding}`,
    delimiter,
    rows: { [Symbol.iterator]: () => csvRows(text, delimiter) },
  }));
}

/**
 * Finds the titles, and with them how the file is written: its delimiter, its encoding, and which sheet of an Excel file
 * it is.
 * @param none the problem if no row is anything like the titles.
 * @param decoded the text, if it is known how to decode it.
 */
export async function findTable<Name>(
  bytes: Buffer,
  match: (titles: readonly string[]) => TitleMatch<Name>,
  none: string,
  decoded?: DecodedText,
): Promise<FoundTable<Name> | TableProblem> {
  let tables: readonly Table[];
  try {
    tables = await tablesOf(bytes, decoded);
  } catch (error) {
    return { line: 1, problem: `the Excel file cannot be read: ${(error as Error).message}` };
  }
  const found: FoundTable<Name>[] = [];
  let closest = { line: 1, missing: Number.POSITIVE_INFINITY, problem: none };
  for (const table of tables) {
    const looked = lookIn(table, match);
    if (!('missing' in looked)) found.push(looked);
    else if (looked.missing === 0) return { line: looked.line, problem: looked.problem };
    else if (looked.missing < closest.missing) closest = looked;
    // Only the sheets of an Excel file may be several tables.
    if (found.length > 0 && table.delimiter !== undefined) break;
  }
  const [first, second] = found;
  if (first === undefined) return { line: closest.line, problem: closest.problem };
  if (second === undefined) return first;
  const problem = `there are two tables: ${first.form}, and ${second.form}. Keep one of them`;
  return { line: second.line, problem };
}

interface Missed extends TableProblem {
  /** 0: the titles were found, and cannot be taken. */
  readonly missing: number;
}

function lookIn<Name>(
  { rows, ...table }: Table,
  match: (titles: readonly string[]) => TitleMatch<Name>,
): FoundTable<Name> | Missed {
  const above: TableRow[] = [];
  let closest: Missed = { line: 1, missing: Number.POSITIVE_INFINITY, problem: '' };
  const iterator = rows[Symbol.iterator]();
  for (let next = iterator.next(); next.done !== true; next = iterator.next()) {
    const row = next.value;
    const { places, missing, problem } = match(row.values);
    if (missing.length === 0) {
      if (problem !== undefined) return { line: row.line, problem, missing: 0 };
      const titles = row.values.map((title) => title.trim());
      const rest = { [Symbol.iterator]: () => iterator };
      return { ...table, titles, line: row.line, places, above, rows: [...rest] };
    }
    if (missing.length < closest.missing) {
      const absent = `there is no column ${missing.join(', ')} (${table.form})`;
      const text = problem === undefined ? absent : `${absent}; ${problem}`;
      closest = { line: row.line, problem: text, missing: missing.length };
    }
    above.push(row);
    if (row.line > MAX_LINES_ABOVE) break;
  }
  return closest;
}

/** Without case, blanks and punctuation, which differ from export to export. */
export function plainTitle(title: string): string {
  const plain = title.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '');
  return plain === '' ? title : plain;
}
