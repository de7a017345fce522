import { csvRows, DELIMITERS } from '../../../platform/base/csv.ts';
import type { Delimiter } from '../../../platform/base/csv.ts';
import { readSheets } from '../../../platform/base/sheet.ts';
import { decodeText } from '../../../platform/base/text-encoding.ts';
import { isZip } from '../../../platform/base/zip.ts';
import type { LineProblem } from '../../source-statements.ts';
import type { ColumnName, Columns } from './settings.ts';

export interface TableRow {
  readonly line: number;
  readonly values: readonly string[];
  readonly problem?: string;
  /** Columns whose cells are numbers with a decimal point, in an Excel file. */
  readonly numbers?: ReadonlySet<number>;
}

/** A file read in one way. */
interface Table {
  /** The form of the file in words: “semicolons, UTF-8”. */
  readonly form: string;
  /** Undefined: an Excel file. */
  readonly delimiter: Delimiter | undefined;
  readonly rows: Iterable<TableRow>;
}

/** A table whose titles were found. */
export interface FoundTable extends Pick<Table, 'form' | 'delimiter'> {
  readonly titles: readonly string[];
  /** The line of the titles. */
  readonly line: number;
  /** The columns that the settings name, by their names there. */
  readonly places: ReadonlyMap<ColumnName, number>;
  /** The rows above the titles. */
  readonly above: readonly TableRow[];
  readonly rows: readonly TableRow[];
}

/** The titles may be this far down: banks put the account and the period above them. */
const MAX_LINES_ABOVE = 50;

const DELIMITER_NAMES: Readonly<Record<Delimiter, string>> = {
  ',': 'commas',
  ';': 'semicolons',
  '\t': 'tabs',
  '|': 'vertical bars',
};

/** Every way to read the file. Throws: `Error` if it is a damaged Excel file. */
function tablesOf(bytes: Buffer): Table[] {
  if (isZip(bytes)) {
    return readSheets(bytes).map(({ name, rows }) => ({
      ...{ form: `sheet “${name}” of an Excel file`, delimiter: undefined, rows },
    }));
  }
  const { text, encoding } = decodeText(bytes);
  return DELIMITERS.map((delimiter) => ({
    form: `values separated by ${DELIMITER_NAMES[delimiter]}, ${encoding}`,
    delimiter,
    rows: { [Symbol.iterator]: () => csvRows(text, delimiter) },
  }));
}

/**
 * Finds the titles, and with them how the file is written: its delimiter, its encoding, and which sheet of an Excel file
 * it is.
 * @param optional columns that a file may do without.
 */
export function findTable(
  bytes: Buffer,
  columns: Columns,
  optional: ReadonlySet<ColumnName>,
): FoundTable | LineProblem {
  let tables: readonly Table[];
  try {
    tables = tablesOf(bytes);
  } catch (error) {
    return { line: 1, problem: `the Excel file cannot be read: ${(error as Error).message}` };
  }
  let closest: { readonly line: number; readonly problem: string; readonly missing: number } = {
    ...{ line: 1, missing: Number.POSITIVE_INFINITY },
    problem: `there is no column ${Object.values(columns).join(', ')}`,
  };
  for (const { rows, ...table } of tables) {
    const above: TableRow[] = [];
    const iterator = rows[Symbol.iterator]();
    for (let next = iterator.next(); next.done !== true; next = iterator.next()) {
      const row = next.value;
      const { places, missing, twice } = placesOf(row.values, columns, optional);
      if (missing.length === 0) {
        const titles = row.values.map((title) => title.trim());
        const rest = { [Symbol.iterator]: () => iterator };
        if (twice !== undefined)
          return { line: row.line, problem: `there are two columns ${twice}` };
        return { ...table, titles, line: row.line, places, above, rows: [...rest] };
      }
      if (missing.length < closest.missing) {
        const problem = `there is no column ${missing.join(', ')} (${table.form})`;
        closest = { line: row.line, problem, missing: missing.length };
      }
      above.push(row);
      if (row.line > MAX_LINES_ABOVE) break;
    }
  }
  return { line: closest.line, problem: closest.problem };
}

interface Places {
  readonly places: ReadonlyMap<ColumnName, number>;
  readonly missing: readonly string[];
  /** A title that two columns have. */
  readonly twice: string | undefined;
}

function placesOf(
  values: readonly string[],
  columns: Columns,
  optional: ReadonlySet<ColumnName>,
): Places {
  const titles = values.map((title) => title.trim());
  const plain = titles.map(plainTitle);
  const places = new Map<ColumnName, number>();
  const missing: string[] = [];
  let twice: string | undefined;
  for (const [key, title] of Object.entries(columns)) {
    const name = key as ColumnName;
    const list = titles.includes(title) ? titles : plain;
    const wanted = list === titles ? title : plainTitle(title);
    const place = list.indexOf(wanted);
    if (place >= 0) {
      places.set(name, place);
      if (list.lastIndexOf(wanted) !== place) twice ??= title;
    } else if (!optional.has(name)) missing.push(title);
  }
  return { places, missing, twice };
}

/** Without case, blanks and punctuation, which differ from export to export. */
export function plainTitle(title: string): string {
  const plain = title.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '');
  return plain === '' ? title : plain;
}
