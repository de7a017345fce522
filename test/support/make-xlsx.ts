import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';
import { escapeMarkup } from '../../src/platform/base/markup.ts';

export type MadeCell = string | number | Date | null;

const DATE_STYLE = 1;
const DAY_MS = 86_400_000;

/** An Excel file as spreadsheet programs write it: shared strings, dates as numbers, no cells that are empty. */
export async function makeXlsx(
  rows: readonly (readonly MadeCell[])[],
  { dateFormat = 'dd\\-mm\\-yyyy hh:mm:ss', is1904 = false } = {},
): Promise<Buffer> {
  const texts: string[] = [];
  const cell = (value: MadeCell, at: string): string => {
    if (value === null || value === '') return '';
    if (typeof value === 'number') return `<c r="${at}"><v>${value}</v></c>`;
    if (value instanceof Date) {
      const days = value.getTime() / DAY_MS + 25_569 - (is1904 ? 1_462 : 0);
      return `<c r="${at}" s="${DATE_STYLE}"><v>${days}</v></c>`;
    }
    texts.push(value);
    return `<c r="${at}" t="s"><v>${texts.length - 1}</v></c>`;
  };
  const sheet = rows.map((values, index) => {
    const cells = values.map((value, column) => cell(value, `${letterOf(column)}${index + 1}`));
    const text = cells.join('');
    return text === '' ? '' : `<row r="${index + 1}">${text}</row>`;
  });
  const shared = texts.map(
    (text) => `<si><r><t xml:space="preserve">${escapeMarkup(text)}</t></r></si>`,
  );
  const files = {
    'xl/workbook.xml': `<workbook xmlns:r="r"><workbookPr date1904="${Number(is1904)}"/><sheets><sheet name="Cover" sheetId="1" r:id="rId9"/><sheet name="Data" sheetId="2" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Id="rId1" Target="worksheets/sheet2.xml"/><Relationship Id="rId9" Target="/xl/worksheets/sheet1.xml"/></Relationships>',
    'xl/styles.xml': `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="${escapeMarkup(dateFormat)}"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/></cellXfs></styleSheet>`,
    'xl/sharedStrings.xml': `<sst>${shared.join('')}</sst>`,
    'xl/worksheets/sheet1.xml': '<worksheet><sheetData/></worksheet>',
    'xl/worksheets/sheet2.xml': `<worksheet><sheetData>${sheet.join('')}</sheetData></worksheet>`,
  };
  return await zipped(files);
}

/** A zip archive. */
export async function zipped(files: Readonly<Record<string, string>>): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, content] of Object.entries(files)) zip.addBuffer(Buffer.from(content), name);
  zip.end();
  return await buffer(zip.outputStream);
}

function letterOf(column: number): string {
  const last = String.fromCharCode(65 + (column % 26));
  return column < 26 ? last : letterOf(Math.floor(column / 26) - 1) + last;
}
