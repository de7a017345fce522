import type { CsvLine } from '../../platform/base/csv.ts';
import { Refusal } from '../../platform/base/errors.ts';

/** Why a line of a file is refused. */
export interface Problem {
  /** The first line of the file is 1. */
  readonly line: number;
  /** The column; '': the whole line. */
  readonly field: string;
  readonly text: string;
}

export class LineProblem extends Error {
  readonly field: string;

  constructor(field: string, text: string) {
    super(text);
    this.field = field;
  }
}

type Cells = (column: string) => string;

/** Reads a line, or says what is wrong with it. `read` throws `LineProblem`, or a `Refusal` with a field. */
export function readLine<Row>(
  { line, values, problem }: CsvLine,
  columns: readonly string[],
  read: (cell: Cells) => Row,
): { readonly row: Row } | { readonly problem: Problem } {
  const refuse = (field: string, text: string) => ({ problem: { line, field, text } });
  if (problem !== undefined) return refuse('', problem);
  if (values.length !== columns.length) {
    return refuse('', `it has ${values.length} values; the first line has ${columns.length}`);
  }
  const cell: Cells = (column) => values[columns.indexOf(column)]?.trim() ?? '';
  try {
    return { row: read(cell) };
  } catch (error) {
    if (error instanceof LineProblem) return refuse(error.field, error.message);
    if (error instanceof Refusal) return refuse(error.field ?? '', error.message);
    throw error;
  }
}

/** The names of the columns. Throws: `LineProblem`. */
export function requireColumns(
  { values }: CsvLine,
  { needed, known }: { readonly needed: readonly string[]; readonly known: readonly string[] },
): readonly string[] {
  const columns = values.map((name) => name.trim().toLowerCase());
  const missing = needed.find((name) => !columns.includes(name));
  if (missing !== undefined) throw new LineProblem(missing, `there is no column ${missing}`);
  const strange = columns.find((name) => !known.includes(name));
  if (strange !== undefined) {
    throw new LineProblem(strange, `unknown column; there are ${known.join(', ')}`);
  }
  const twice = columns.find((name, at) => columns.indexOf(name) !== at);
  if (twice !== undefined) throw new LineProblem(twice, 'this column is there twice');
  return columns;
}
