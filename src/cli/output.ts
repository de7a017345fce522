import { Help } from 'commander';
import { visible } from '../platform/base/visible.ts';

/** The part of a stream that is needed to write text. */
export interface TextStream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** The output of a command: a document for programs, text for people. */
export interface Answer {
  readonly json: unknown;
  readonly text: string;
  /** Default 0. */
  readonly exitCode?: number;
}

/** Writes one of the two forms. */
export function showAnswer(stdout: TextStream, answer: Answer, json: boolean): void {
  const text = json ? JSON.stringify(answer.json, undefined, 2) : answer.text;
  stdout.write(text.endsWith('\n') ? text : `${text}\n`);
}

interface Column {
  readonly title: string;
  /** Numbers are right-aligned. */
  readonly align?: 'right';
  /** Shown only with `--wide`: without such columns most tables fit into 100 columns. */
  readonly wide?: true;
  /** Sentences, in the last column: continued below, so that the table fits a usual terminal. */
  readonly wrapped?: true;
}

const GAP = '  ';
const TERMINAL_COLUMNS = 80;
const wrapper = Object.assign(new Help(), { minWidthToWrap: 20 });

/** A table for people: titles, then rows, columns as wide as their widest cell. */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  empty = 'nothing',
  wide = false,
): string {
  if (rows.length === 0) return `(${empty})\n`;
  if (!wide && columns.some((column) => column.wide)) {
    const isShown = (_: unknown, index: number): boolean => columns[index]?.wide !== true;
    return table(
      columns.filter(isShown),
      rows.map((row) => row.filter(isShown)),
    );
  }
  const cellOf = (text: string, column: number): string =>
    columns[column]?.wrapped === true && text !== '' ? shownLines(text) : shown(text);
  const lines = [columns.map(({ title }) => title), ...rows.map((row) => row.map(cellOf))];
  const widths = columns.map((_, index) =>
    lines.reduce((widest, line) => Math.max(widest, widthOf(line[index] ?? '')), 0),
  );
  const isWrapped = columns.at(-1)?.wrapped === true;
  const left = widths.slice(0, -1).reduce((sum, width) => sum + width + GAP.length, 0);
  return lines
    .flatMap((line) => (isWrapped ? continued(line, TERMINAL_COLUMNS - left) : [line]))
    .map((line) =>
      columns
        .map(({ align }, index) => pad(line[index] ?? '', widths[index] ?? 0, align))
        .join(GAP)
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('');
}

/** The line with as much of its last cell as fits, then lines with nothing but the rest of it. */
function continued(line: readonly string[], width: number): string[][] {
  const before = line.slice(0, -1);
  return wrapper
    .boxWrap(line.at(-1) ?? '', width)
    .split('\n')
    .map((part, index) => [...before.map((cell) => (index === 0 ? cell : '')), part]);
}

/** Sentences as a list, continued below so that they fit a usual terminal. */
export function bullets(sentences: readonly string[]): string {
  const mark = '  - ';
  return sentences
    .flatMap((sentence) => continued([mark, shown(sentence)], TERMINAL_COLUMNS - mark.length))
    .map(([before = '', text = '']) => `${pad(before, mark.length)}${text}\n`)
    .join('');
}

/** Such as “1 problem”, “2 problems”. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Names and values, one per line. */
export function record(pairs: readonly (readonly [name: string, value: string])[]): string {
  const width = pairs.reduce((widest, [name]) => Math.max(widest, widthOf(name)), 0);
  return pairs.map(([name, value]) => `${pad(name, width)}${GAP}${shown(value)}\n`).join('');
}

const shown = (text: string): string => (text === '' ? '-' : visible(text));

const letters = new Intl.Segmenter();

function widthOf(text: string): number {
  return Array.from(letters.segment(text)).length;
}

function pad(text: string, width: number, align?: 'right'): string {
  const blanks = ' '.repeat(Math.max(width - widthOf(text), 0));
  return align === 'right' ? blanks + text : text + blanks;
}

/** A progress line for a long command; prints nothing if the output is not a terminal. */
export interface Progress {
  show(text: string): void;
  clear(): void;
}

const ERASE_LINE = '\r\u001B[2K';

export function createProgress(stderr: TextStream): Progress {
  if (stderr.isTTY !== true) return { show: () => {}, clear: () => {} };
  let shownNow = false;
  return {
    show: (text) => {
      // A line that wraps could not be erased.
      stderr.write(`${ERASE_LINE}${shown(text).slice(0, (stderr.columns ?? 80) - 1)}`);
      shownNow = true;
    },
    clear: () => {
      if (shownNow) stderr.write(ERASE_LINE);
      shownNow = false;
    },
  };
}

/** Replaces control characters, but keeps line ends, such as those of an error that quotes an argument. */
export function shownLines(text: string): string {
  return text.replaceAll(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\u{FFFD}');
}
