import { childrenOf, elementAt, readLargeXml, textAt } from './xml.ts';
import type { TakeElement, XmlElement } from './xml.ts';
import { readZip } from './zip.ts';

const LIMITS = { depth: 32, nodes: 500_000 };
/** Cells of all sheets together, with empty ones that are left out before others. */
const MAX_CELLS = 2_000_000;

export interface SheetRow {
  /** The row of the sheet, the first being 1. */
  readonly line: number;
  /** By column. Numbers have a decimal point; dates are `YYYY-MM-DD`, with a time of day if they have one. */
  readonly values: readonly string[];
  /** Columns whose cells are numbers, whatever separators the texts of the sheet have. */
  readonly numbers: ReadonlySet<number>;
}

export interface Sheet {
  readonly name: string;
  readonly rows: readonly SheetRow[];
}

/**
 * The sheets of an Excel file (XLSX), in their order. Formulas are read as the results that the file has. It is read in
 * turns, and a small file that contains a very large one is refused: lenders and banks send such files.
 * Throws: `Error` with the problem if it is not such a file.
 */
export async function readSheets(file: Buffer, maxCells = MAX_CELLS): Promise<Sheet[]> {
  const files = readZip(file);
  const read = async (
    name: string,
    take: TakeElement = () => false,
  ): Promise<XmlElement | undefined> => {
    const content = files.get(name);
    if (content === undefined) return undefined;
    const root = await readLargeXml(await content(), LIMITS, take);
    if ('problem' in root) throw new Error(`${name}: ${root.problem}`);
    return root;
  };
  const book = await read('xl/workbook.xml');
  if (book === undefined) throw new Error('it is an archive, but no Excel file (XLSX)');
  const relations = childrenOf(await read('xl/_rels/workbook.xml.rels'), 'Relationship');
  const targets = new Map(
    relations.map(({ attributes }) => [attributes.get('Id'), attributes.get('Target') ?? '']),
  );
  const texts: string[] = [];
  await read('xl/sharedStrings.xml', (element, path) => {
    if (element.name !== 'si' || path.length !== 1) return false;
    texts.push(textWithin(element));
    return true;
  });
  const style = {
    texts,
    dates: dateStylesOf(await read('xl/styles.xml')),
    is1904: /^(?:1|true)$/.test(elementAt(book, 'workbookPr')?.attributes.get('date1904') ?? ''),
  };
  const sheets: Sheet[] = [];
  let leftCells = maxCells;
  for (const { attributes } of childrenOf(elementAt(book, 'sheets'), 'sheet')) {
    const [, id] = [...attributes].find(([name]) => name.endsWith(':id')) ?? [];
    const target = targets.get(id) ?? '';
    const rows: SheetRow[] = [];
    await read(target.startsWith('/') ? target.slice(1) : `xl/${target}`, (element, path) => {
      if (element.name !== 'row' || path.length !== 2 || path[1] !== 'sheetData') return false;
      const row = rowOf(element, rows.length, style);
      leftCells -= row.values.length;
      if (leftCells < 0) throw new Error('too many cells');
      rows.push(row);
      return true;
    });
    if (rows.length > 0) sheets.push({ name: attributes.get('name') ?? '', rows });
  }
  return sheets;
}

interface Style {
  readonly texts: readonly string[];
  /** Cell styles that show a number as a date. */
  readonly dates: ReadonlySet<number>;
  /** Days are counted from 1904. */
  readonly is1904: boolean;
}

/** Formats of dates that every Excel file has. */
const BUILT_IN_DATES = [14, 15, 16, 17, 18, 19, 20, 21, 22, 27, 30, 36, 45, 46, 47, 50, 57];

function dateStylesOf(styles: XmlElement | undefined): ReadonlySet<number> {
  const own = childrenOf(elementAt(styles, 'numFmts'), 'numFmt')
    .filter(({ attributes }) => isDateFormat(attributes.get('formatCode') ?? ''))
    .map(({ attributes }) => Number(attributes.get('numFmtId')));
  const formats = new Set([...BUILT_IN_DATES, ...own]);
  return new Set(
    childrenOf(elementAt(styles, 'cellXfs'), 'xf')
      .map(({ attributes }) => Number(attributes.get('numFmtId')))
      .flatMap((format, index) => (formats.has(format) ? [index] : [])),
  );
}

/** Texts in quotes, colours and single characters say nothing. */
function isDateFormat(code: string): boolean {
  return /[dmyhs]/i.test(code.replaceAll(/"[^"]*"|\[[^\]]*\]|\\./g, ''));
}

function rowOf(row: XmlElement, index: number, style: Style): SheetRow {
  const values: string[] = [];
  const numbers = new Set<number>();
  for (const cell of childrenOf(row, 'c')) {
    const named = columnOf(cell.attributes.get('r') ?? '');
    const column = named === undefined || named < values.length ? values.length : named;
    while (values.length < column) values.push('');
    const { text, isNumber } = cellOf(cell, style);
    values.push(text);
    if (isNumber) numbers.add(column);
  }
  const line = Number(row.attributes.get('r'));
  return { line: line >= 1 ? line : index + 1, values, numbers };
}

/** Excel's last column is XFD. */
const MAX_COLUMN = 16_384;

/** `B7` is column 1. */
function columnOf(reference: string): number | undefined {
  const [letters] = /^[A-Z]{1,3}(?=\d)/.exec(reference) ?? [];
  if (letters === undefined) return undefined;
  let column = 0;
  for (const letter of letters) column = column * 26 + (letter.charCodeAt(0) - 64);
  return column <= MAX_COLUMN ? column - 1 : undefined;
}

interface CellValue {
  readonly text: string;
  readonly isNumber: boolean;
}

function textCell(text: string): CellValue {
  return { text, isNumber: false };
}

function cellOf(cell: XmlElement, style: Style): CellValue {
  const value = textAt(cell, 'v') ?? '';
  switch (cell.attributes.get('t')) {
    case 's':
      return textCell(style.texts[Number(value)] ?? '');
    case 'inlineStr':
      return textCell(textWithin(elementAt(cell, 'is')));
    case 'str':
    case 'e':
    case 'd':
      return textCell(value);
    case 'b':
      return textCell(value === '1' ? 'true' : 'false');
    default: {
      if (!/^-?\d+(?:\.\d+)?(?:E[+-]?\d+)?$/i.test(value)) return textCell(value);
      const isDate = style.dates.has(Number(cell.attributes.get('s')));
      const date = isDate ? dateText(Number(value), style.is1904) : undefined;
      return date === undefined ? { text: numberText(value), isNumber: true } : textCell(date);
    }
  }
}

/** All text of a cell, whose runs may have formats of their own. Hints for pronunciation (`rPh`) are left out. */
function textWithin(element: XmlElement | undefined): string {
  return (element?.children ?? [])
    .map((child) => (child.name === 't' ? child.text : child.name === 'r' ? textWithin(child) : ''))
    .join('');
}

/** Excel keeps 15 digits. A larger number was changed already, and keeps its form, which shows that. */
const EXACT = 1e15;

/** Excel writes 0.1 + 0.2 as 0.30000000000000004. */
function numberText(value: string): string {
  if (/^-?[\d.]{1,16}$/.test(value)) return value;
  const number = Number(value);
  if (Math.abs(number) >= EXACT) return value;
  const rounded = Number(number.toPrecision(15));
  return /e/i.test(String(rounded)) ? value : String(rounded);
}

const DAY_SECONDS = 86_400;
/** Days from Excel's day 0, with the 29 February 1900 that it counts, to 1 January 1970. */
const DAYS_BEFORE_1970 = 25_569;
const DAYS_TO_1904 = 1_462;

/** Undefined: a time of day only, or no day that Excel knows. */
function dateText(serial: number, is1904: boolean): string | undefined {
  const days = serial + (is1904 ? DAYS_TO_1904 : 0);
  if (days < 61 || days > 2_958_465) return undefined;
  const seconds = Math.round((days - DAYS_BEFORE_1970) * DAY_SECONDS);
  const [day = '', time = ''] = new Date(seconds * 1000).toISOString().slice(0, 19).split('T');
  return time === '00:00:00' ? day : `${day} ${time}`;
}
