import { Readable } from 'node:stream';
import { Refusal } from '../platform/base/errors.ts';
import { csvOf } from '../platform/export/csv.ts';
import { SLICE_ROWS } from '../platform/export/rows.ts';
import type { Cell } from '../platform/export/rows.ts';
import { requireFitsSheet, xlsxOf } from '../platform/export/xlsx.ts';
import { routeOf } from './definition.ts';
import type { AnyDownload, AnyView } from './definition.ts';
import type { FileAnswer, FileFormat } from './forms.ts';
import { openFileEntry, perform } from './perform.ts';
import type { By } from './perform.ts';
import { cellFor, firstOf, rowColumns, totalCells, totalOf } from './present.ts';
import type { Column, Row } from './present.ts';
import { readInput } from './read-input.ts';

type Values = Readonly<Record<string, unknown>>;

const TYPES = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const satisfies Record<FileFormat, string>;

/** Spreadsheets recognise UTF-8 by it. */
const BYTE_ORDER_MARK = '\ufeff';

/** What a file is like. */
export interface FileWanted {
  readonly format: FileFormat;
  /** Names of properties, separated by commas. Default: every column. */
  readonly columns?: string | undefined;
}

/**
 * Every row of a view as a file, read page after page, with one entry in the audit log. Pages are short, because a
 * page is read and presented in one turn of the event loop, in which payments wait. The first one is read before this
 * returns, so that a refusal is one.
 */
export async function fileOf(
  declared: AnyView,
  given: Values,
  by: By,
  { format, columns: names }: FileWanted,
): Promise<FileAnswer> {
  const columns = chosenColumns(declared, names);
  const isPaged = 'limit' in declared.input.properties;
  // A file has all pages.
  const { cursor: _, limit, ...others } = given;
  const rest = isPaged || limit === undefined ? others : { ...others, limit };
  // A whole list is read in turns, whoever reads it.
  const isLong = isPaged || declared.isLong !== undefined;
  const of = isLong ? { ...declared, isLong: true as const } : declared;
  const asked = isPaged ? { ...rest, limit: SLICE_ROWS } : rest;
  const first = await perform(of, asked, by);
  // How many rows it has is known only of some lists.
  if (format === 'xlsx') requireFitsSheet(Number(first['count'] ?? 0));
  const input = readInput(of, asked);
  const kept = of.filterOf?.(rest, first) ?? rest;
  const about = { ...kept, format, ...(names !== undefined && { columns: names }) };
  const entry = await openFileEntry(of, input, by, about);
  let rows = 0;
  const edge = (row: Row | undefined): Cell[][] =>
    row === undefined ? [] : [totalCells(columns, row, (column) => cellFor(column, row))];
  const pages = async function* (): AsyncGenerator<Cell[][]> {
    yield edge(firstOf(of, first));
    for (let page = first; ;) {
      const found = (page[of.rows ?? ''] ?? []) as Row[];
      rows += found.length;
      yield found.map((row) => columns.map((column) => cellFor(column, row)));
      const next = page['next'];
      if (typeof next !== 'string') {
        yield edge(totalOf(of, page));
        return;
      }
      page = await perform(of, { ...asked, cursor: next }, { ...by, hasBegun: true });
    }
  };
  const table = { titles: columns.map(({ title }) => title), rows: pages() };
  const { wireTime } = by.deps;
  const body = async function* (): AsyncGenerator<string | Buffer> {
    // It fails if the reader or the database disconnects before the end.
    let result: 'done' | 'failed' = 'failed';
    try {
      if (format === 'csv') yield BYTE_ORDER_MARK;
      yield* format === 'csv' ? csvOf(table, wireTime) : xlsxOf(table, wireTime);
      result = 'done';
    } finally {
      await entry.end({ result, after: { rows } });
    }
  };
  const day = wireTime.format(by.deps.clock.now()).slice(0, 10);
  const name = `${fileNameOf(of, given)}-${day}.${format}`;
  const hasFailed = of.failed?.(first) === true;
  return { name, type: TYPES[format], body: Readable.from(body()), hasFailed };
}

/** The last word of the path, but for a search the one before, and what the path names. */
function fileNameOf(of: AnyView, given: Values): string {
  const { path, names } = routeOf(of);
  const words = path.replace(/\/search$/, '').split('/');
  const word = words.findLast((each) => !each.startsWith(':')) ?? 'rows';
  const named = names.map((name) => String(given[name])).filter((each) => /^[\w.-]+$/.test(each));
  return [word, ...named].join('-');
}

/** Throws: `invalid_field` for an unknown column. */
function chosenColumns(of: AnyView, names: string | undefined): Column[] {
  const all = rowColumns(of);
  if (names === undefined) return all;
  return names.split(',').map((name) => {
    const column = all.find((each) => each.name === name);
    if (column !== undefined) return column;
    const known = all.map((each) => each.name).join(', ');
    const text = `Unknown column ${name}. There are ${known}`;
    throw new Refusal('invalid_field', { field: 'columns', text });
  });
}

/** The file of a download, with an entry in the audit log before its first byte and its length after the last one. */
export async function notedDownload(of: AnyDownload, given: Values, by: By): Promise<FileAnswer> {
  const file = await perform(of, given, by);
  const entry = await openFileEntry(of, readInput(of, given), by, file.filter ?? given);
  const body = async function* (): AsyncGenerator<string | Buffer> {
    let bytes = 0;
    let result: 'done' | 'failed' = 'failed';
    try {
      if (file.type === TYPES.csv) yield BYTE_ORDER_MARK;
      for await (const chunk of file.body as AsyncIterable<string | Buffer>) {
        bytes += Buffer.byteLength(chunk);
        yield chunk;
      }
      result = 'done';
    } finally {
      await entry.end({ result, after: { bytes } });
    }
  };
  return { ...file, body: Readable.from(body()) };
}
