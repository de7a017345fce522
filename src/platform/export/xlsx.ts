import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import type { WireTime } from '../base/clock.ts';
import { escapeMarkup } from '../base/markup.ts';
import { formatMoney } from '../base/money.ts';
import { PlainError } from '../base/plain-error.ts';
import { textOf } from './csv.ts';
import { slicesOf } from './rows.ts';
import type { Cell, ExportTable } from './rows.ts';

/** Rows of one sheet, by the file format. */
export const MAX_XLSX_ROWS = 1_048_576;

/** Throws: `PlainError` if a sheet cannot have a table with so many rows. */
export function requireFitsSheet(rows: number): void {
  // The title, and a row before and after all others.
  if (rows + 3 <= MAX_XLSX_ROWS) return;
  throw new PlainError(
    `A sheet has at most ${MAX_XLSX_ROWS} rows; the table has ${rows}. Choose a shorter period, or CSV.`,
    { field: 'from' },
  );
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const SHEET_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

const PLAIN = 'numFmtId="0" fontId="0" fillId="0" borderId="0"';

/** Everything but the sheet (ECMA-376, part 1). The styles are those of `STYLES`. */
const FIXED_FILES: Readonly<Record<string, string>> = {
  '[Content_Types].xml': `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${SHEET_TYPE}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${SHEET_TYPE}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${SHEET_TYPE}.styles+xml"/></Types>`,
  '_rels/.rels': `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`,
  'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><bookViews><workbookView/></bookViews><sheets><sheet name="Malipo" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/styles.xml': `<styleSheet xmlns="${MAIN}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf ${PLAIN}/></cellStyleXfs><cellXfs count="4"><xf ${PLAIN} xfId="0"/><xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/><xf numFmtId="4" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf ${PLAIN} xfId="0" quotePrefix="1"/></cellXfs></styleSheet>`,
};

/** By their place in `cellXfs`: number format 4 is `#,##0.00`; text is not run when it is edited. */
const STYLES = { plain: 0, title: 1, amount: 2, text: 3 } as const;

/**
 * The table as a workbook, while its rows are read. Amounts are numbers with two decimals, times and
 * everything else text. Throws if there are more rows than a sheet can have.
 */
export async function* xlsxOf(table: ExportTable, wireTime: WireTime): AsyncGenerator<Buffer> {
  const zip = new ZipFile();
  const sheet = Readable.from(sheetOf(table, wireTime));
  const output = Readable.from(zip.outputStream as AsyncIterable<Buffer>);
  zip.on('error', (error: Error) => output.destroy(error));
  sheet.on('error', (error) => output.destroy(error));
  for (const [name, content] of Object.entries(FIXED_FILES)) {
    zip.addBuffer(Buffer.from(XML + content), name);
  }
  zip.addReadStream(sheet, 'xl/worksheets/sheet1.xml');
  zip.end();
  try {
    for await (const chunk of output) yield chunk as Buffer;
  } finally {
    // Nobody reads it any more.
    sheet.destroy();
  }
}

async function* sheetOf(table: ExportTable, wireTime: WireTime): AsyncGenerator<string> {
  const columns = table.titles.length;
  yield `${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols><col min="1" max="${columns}" width="20" customWidth="1"/></cols><sheetData>`;
  yield rowOf(
    1,
    table.titles.map((title) => textCell(title, STYLES.title)),
  );
  let number = 1;
  for await (const rows of slicesOf(table)) {
    const lines = rows.map((cells) => {
      number += 1;
      return rowOf(
        number,
        cells.map((cell) => cellOf(cell, wireTime)),
      );
    });
    if (number > MAX_XLSX_ROWS) throw new Error(`a sheet has at most ${MAX_XLSX_ROWS} rows`);
    yield lines.join('');
  }
  yield '</sheetData></worksheet>';
}

/** @param cells each without its position. */
function rowOf(number: number, cells: readonly string[]): string {
  const placed = cells.map((cell, index) => `<c r="${columnName(index)}${number}"${cell}`);
  return `<row r="${number}">${placed.join('')}</row>`;
}

/** A to Z, AA, … */
function columnName(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26));
  return index < 26 ? letter : columnName(Math.floor(index / 26) - 1) + letter;
}

function cellOf(cell: Cell, wireTime: WireTime): string {
  if (cell === null || cell === '') return '/>';
  if (typeof cell === 'bigint') return ` s="${STYLES.amount}"><v>${formatMoney(cell)}</v></c>`;
  return textCell(textOf(cell, wireTime), cell instanceof Date ? STYLES.plain : STYLES.text);
}

function textCell(text: string, style: number): string {
  return ` s="${style}" t="inlineStr"><is><t xml:space="preserve">${xmlText(text)}</t></is></c>`;
}

/** Text in XML. What XML cannot have is replaced; `_x0041_`, which Excel would decode, is escaped. */
function xmlText(text: string): string {
  return escapeMarkup(
    text
      .toWellFormed()
      .replaceAll(/[^\P{Cc}\t\n\r]|[\ufffe\uffff]/gu, '\ufffd')
      .replaceAll(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_'),
  );
}
