/** The longest line that is read; the rest of a longer line is skipped. */
const MAX_LINE_CHARACTERS = 32_768;

export interface CsvLine {
  /** Line of the file, the first being 1. */
  readonly line: number;
  /** Empty if the line could not be read. */
  readonly values: readonly string[];
  readonly problem?: string;
  /** Bytes of the file read so far. */
  readonly bytes: number;
}

/**
 * The lines of CSV text that arrives in chunks, one by one, in constant memory. The text may start with the byte order
 * mark of UTF-8; empty lines are skipped. Values are quoted as in RFC 4180, but end with their
 * line: an unclosed quote must not swallow the lines that follow. A line that cannot be read is
 * returned with its problem.
 */
export async function* csvLines(
  chunks: AsyncIterable<string> & { readonly bytesRead: number },
  delimiter: Delimiter = ',',
): AsyncGenerator<CsvLine> {
  let line = 0;
  let pending = '';
  for await (const chunk of chunks) {
    const lines = linesOf(pending + chunk);
    pending = (lines.pop() ?? '').slice(0, MAX_LINE_CHARACTERS + 1);
    for (const text of lines) {
      line += 1;
      if (text !== '') yield { line, ...valuesOf(text, line, delimiter), bytes: chunks.bytesRead };
    }
  }
  const last = pending.endsWith('\r') ? pending.slice(0, -1) : pending;
  if (last === '') return;
  yield { line: line + 1, ...valuesOf(last, line + 1, delimiter), bytes: chunks.bytesRead };
}

/**
 * Complete lines, and what follows the last line end. A CR at the very end may be half of a CR LF.
 */
function linesOf(text: string): string[] {
  return text.includes('\r') ? text.split(/\r\n|\n|\r(?!$)/) : text.split('\n');
}

/** Characters that may separate the values of a line. */
export const DELIMITERS = [',', ';', '\t', '|'] as const;
export type Delimiter = (typeof DELIMITERS)[number];

/** A value of a line, quoted or not, and the delimiter or line end that follows. */
const VALUES: Readonly<Record<Delimiter, RegExp>> = {
  ',': valuePattern(','),
  ';': valuePattern(';'),
  '\t': valuePattern('\t'),
  '|': valuePattern('|'),
};

function valuePattern(delimiter: Delimiter): RegExp {
  return new RegExp(`(?:"([^"]*(?:""[^"]*)*)"|([^"${delimiter}]*))([${delimiter}]|$)`, 'y');
}

function valuesOf(
  text: string,
  line: number,
  delimiter: Delimiter,
): Pick<CsvLine, 'values' | 'problem'> {
  if (text.length > MAX_LINE_CHARACTERS) return { values: [], problem: LONG };
  const { values, problem } = readCsvLine(
    line === 1 && text.startsWith('\ufeff') ? text.slice(1) : text,
    delimiter,
  );
  return { values, ...(problem !== undefined && { problem }) };
}

const LONG = 'the line is too long';

interface ReadLine extends Pick<CsvLine, 'values' | 'problem'> {
  /** A quote opens a value and nothing closes it: the value may go on in the next line. */
  readonly isOpen?: true;
}

/** The values of one line without its line end, quoted as for `csvLines`. */
export function readCsvLine(plain: string, delimiter: Delimiter = ','): ReadLine {
  // Most lines have no quote, and need no regular expression.
  if (!plain.includes('"')) return { values: plain.split(delimiter) };
  const pattern = VALUES[delimiter];
  const values: string[] = [];
  pattern.lastIndex = 0;
  for (;;) {
    const at = pattern.lastIndex;
    const match = pattern.exec(plain);
    if (match === null) return unreadable(plain.slice(at));
    const [, quoted, bare, end] = match;
    values.push(quoted?.replaceAll('""', '"') ?? bare ?? '');
    if (end === '') return { values };
  }
}

function unreadable(rest: string): ReadLine {
  if (/^"[^"]*(?:""[^"]*)*$/.test(rest)) {
    const problem = 'a quote that opens a value must be closed on the same line';
    return { values: [], problem, isOpen: true };
  }
  const problem = 'a quote may only be around a whole value, and is doubled within it';
  return { values: [], problem };
}

/** The most lines of one quoted value. */
const MAX_QUOTED_LINES = 20;

/**
 * The rows of CSV text whose quoted values may have line breaks, each with its first line; empty lines are skipped.
 * A quote that nothing closes within 20 lines is a problem of its line only: it swallows none of those that follow.
 */
export function* csvRows(
  text: string,
  delimiter: Delimiter,
): Generator<Pick<CsvLine, 'line' | 'values' | 'problem'>> {
  const lines = text.split(/\r\n|\n|\r/);
  for (let index = 0; index < lines.length; index += 1) {
    const first = lines[index] ?? '';
    if (first === '') continue;
    const line = index + 1;
    let whole = first;
    let read = readLimited(whole, delimiter);
    let last = index;
    // Where the value that is open began, at the latest: a row may have many of them, such as titles that are wrapped.
    let openedOn = index;
    while (read.isOpen && last < lines.length - 1 && last - openedOn < MAX_QUOTED_LINES) {
      last += 1;
      whole += `\n${lines[last] ?? ''}`;
      if (lines[last]?.includes('"') !== true) continue;
      read = readLimited(whole, delimiter);
      openedOn = last;
    }
    if (read.isOpen) {
      const problem = `a quote opens a value and nothing closes it within ${MAX_QUOTED_LINES} lines`;
      yield { line, values: [], problem };
      continue;
    }
    index = last;
    yield {
      line,
      values: read.values,
      ...(read.problem !== undefined && { problem: read.problem }),
    };
  }
}

function readLimited(text: string, delimiter: Delimiter): ReadLine {
  return text.length > MAX_LINE_CHARACTERS
    ? { values: [], problem: LONG }
    : readCsvLine(text, delimiter);
}

/** A value as it is written: quoted where RFC 4180 requires it. */
export function csvValue(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Characters that make a spreadsheet read a cell as a formula, with their full-width East Asian forms. */
const FORMULA = '[=+\\-@\uff1d\uff0b\uff0d\uff20]';
const IS_FORMULA = new RegExp(String.raw`^\s*${FORMULA}|^[\t\r\n]`);
const IS_NUMBER = /^[+-]?\d+(\.\d+)?$/;
/** Nothing in it is a formula or needs quotes: most values of a file, such as names, references and times. */
const IS_PLAIN = /^\w[\w .:-]*$/;
/** Once for each run of these characters, so that a long one takes no longer than it has to. */
const BEFORE_FORMULA = new RegExp(String.raw`(?<![;\s"])[;\s"]+(?=${FORMULA})`, 'g');

/**
 * A value for a file that people open in a spreadsheet. Text that a spreadsheet would run as a
 * formula gets a leading apostrophe (OWASP, "CSV Injection"). Numbers, including signed ones, are
 * not changed. A spreadsheet may take semicolons or tabs for the separator, as in countries with a decimal
 * comma. So a formula that follows one of them, or a line break, gets an apostrophe as well.
 */
export function csvExportValue(text: string): string {
  if (IS_PLAIN.test(text) || IS_NUMBER.test(text)) return text;
  const first = IS_FORMULA.test(text) ? `'${text}` : text;
  if (!beginsCell(first)) return csvValue(first);
  return csvValue(first.replaceAll(BEFORE_FORMULA, (run) => (beginsCell(run) ? `${run}'` : run)));
}

/** True if a cell begins in it. Quotes do not prevent it: for such a spreadsheet they are not around the cell. */
function beginsCell(text: string): boolean {
  return /[;\t\r\n]/.test(text);
}

/**
 * A line of such a file. A file has thousands of them, and arrays of their texts would be most of its garbage: so the
 * values of a line may become text on the way.
 */
export function csvLine<Value>(
  values: readonly Value[],
  textOf: (value: Value) => string = String,
): string {
  let line = '';
  let separator = '';
  for (const value of values) {
    line += separator + csvExportValue(textOf(value));
    separator = ',';
  }
  return `${line}\r\n`;
}
