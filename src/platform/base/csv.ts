import { createReadStream } from 'node:fs';

/** Longest line that is read; the rest of a longer one is passed over. */
const MAX_LINE_CHARACTERS = 32_768;

/** Read at once. Small, so that the database's answers are not kept waiting behind a long chunk. */
const CHUNK_BYTES = 32 * 1024;

export interface CsvLine {
  /** Line of the file, the first being 1. */
  readonly line: number;
  /** Empty when the line could not be read. */
  readonly values: readonly string[];
  readonly problem?: string;
  /** Bytes of the file read so far. */
  readonly bytes: number;
}

/**
 * The lines of a CSV file (UTF-8, a byte order mark allowed; empty lines are passed over), one by
 * one, in constant memory. Values are quoted as RFC 4180 has it, but end with their line: in files
 * of one record a line a quote that is left open is a mistake, which must not swallow the lines
 * after it. A line that cannot be read comes with its problem.
 */
export async function* readCsv(file: string): AsyncGenerator<CsvLine> {
  const source = createReadStream(file, { highWaterMark: CHUNK_BYTES, encoding: 'utf8' });
  let line = 0;
  let pending = '';
  for await (const chunk of source as AsyncIterable<string>) {
    const lines = linesOf(pending + chunk);
    pending = (lines.pop() ?? '').slice(0, MAX_LINE_CHARACTERS + 1);
    for (const text of lines) {
      line += 1;
      if (text !== '') yield { line, ...valuesOf(text, line), bytes: source.bytesRead };
    }
  }
  const last = pending.endsWith('\r') ? pending.slice(0, -1) : pending;
  if (last !== '') yield { line: line + 1, ...valuesOf(last, line + 1), bytes: source.bytesRead };
}

/** Ended lines, and what comes after the last end; a CR at the very end may be half of a CR LF. */
function linesOf(text: string): string[] {
  return text.includes('\r') ? text.split(/\r\n|\n|\r(?!$)/) : text.split('\n');
}

/** A value of a line, in quotes or not, and the comma or the end behind it. */
const VALUE = /(?:"([^"]*(?:""[^"]*)*)"|([^",]*))(,|$)/y;

function valuesOf(text: string, line: number): Pick<CsvLine, 'values' | 'problem'> {
  if (text.length > MAX_LINE_CHARACTERS) return { values: [], problem: 'the line is too long' };
  return readCsvLine(line === 1 && text.startsWith('\ufeff') ? text.slice(1) : text);
}

/** The values of one line without its end, quoted as `readCsv` has it. */
export function readCsvLine(plain: string): Pick<CsvLine, 'values' | 'problem'> {
  // Most lines have no quote, and need no regular expression.
  if (!plain.includes('"')) return { values: plain.split(',') };
  const values: string[] = [];
  VALUE.lastIndex = 0;
  for (;;) {
    const at = VALUE.lastIndex;
    const match = VALUE.exec(plain);
    if (match === null) return { values: [], problem: quoteProblem(plain.slice(at)) };
    const [, quoted, bare, end] = match;
    values.push(quoted?.replaceAll('""', '"') ?? bare ?? '');
    if (end === '') return { values };
  }
}

function quoteProblem(rest: string): string {
  return /^"[^"]*(?:""[^"]*)*$/.test(rest)
    ? 'a quote that opens a value must be closed on the same line'
    : 'a quote may only be around a whole value, and is doubled within it';
}

/** A value as it is written: in quotes where RFC 4180 wants them. */
export function csvValue(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * A value of a file that people open in a spreadsheet: text that would be run as a formula gets an
 * apostrophe in front (OWASP, "CSV Injection"). Numbers, signed ones too, stay as they are.
 */
export function csvExportValue(text: string): string {
  const isFormula = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/.test(text);
  return csvValue(isFormula && !/^[+-]?\d+(\.\d+)?$/.test(text) ? `'${text}` : text);
}
