import { expect, test } from 'vitest';
import { readSheets } from '../../../../src/platform/base/sheet.ts';
import { isZip, readZip } from '../../../../src/platform/base/zip.ts';
import { makeXlsx, zipped } from '../../../support/make-xlsx.ts';

test('texts, numbers and dates of a sheet are read by their columns', async () => {
  const at = new Date('2026-11-27T14:05:11Z');
  const file = await makeXlsx([
    ['Title <&>', null, 'Paid In'],
    [],
    [at, 'x', 22_485, 0.1 + 0.2, new Date('2026-11-27T00:00:00Z')],
    [null, '001', 1e15],
  ]);
  expect(isZip(file)).toBe(true);
  expect(await readSheets(file)).toEqual([
    {
      name: 'Data',
      rows: [
        { line: 1, values: ['Title <&>', '', 'Paid In'], numbers: new Set() },
        {
          line: 3,
          values: ['2026-11-27 14:05:11', 'x', '22485', '0.3', '2026-11-27'],
          numbers: new Set([2, 3]),
        },
        // More than 15 digits: it keeps the form that shows it.
        { line: 4, values: ['', '001', '1000000000000000'], numbers: new Set([2]) },
      ],
    },
  ]);
});

test.each(['yyyy-mm-dd', '[$-409]d/m/yy h:mm AM/PM;@', 'dd "of" mmmm'])(
  'the format %s shows a date',
  async (dateFormat) => {
    const rows = [[new Date('2026-11-27T00:00:00Z')]];
    const [sheet] = await readSheets(await makeXlsx(rows, { dateFormat, is1904: true }));
    expect(sheet?.rows[0]?.values).toEqual(['2026-11-27']);
  },
);

test.each(['0.00', '#,##0 "days"', '[Red]0'])(
  'the format %s shows a number',
  async (dateFormat) => {
    const [sheet] = await readSheets(
      await makeXlsx([[new Date('2026-11-27T00:00:00Z')]], { dateFormat }),
    );
    expect(sheet?.rows[0]?.values).toEqual(['46353']);
  },
);

test('a damaged archive is refused, wherever it is damaged', async () => {
  const file = await makeXlsx([['Date', 'Amount']]);
  expect(() => readZip(Buffer.from('PK\u0003\u0004'))).toThrow('the archive is damaged');
  for (let length = 4; length < file.length; length += 7) {
    await expect(readSheets(file.subarray(0, length))).rejects.toThrow('damaged');
  }
  for (let at = 0; at < file.length; at += 1) {
    const changed = Buffer.from(file);
    changed[at] = (changed[at] ?? 0) ^ 0xff;
    try {
      await readSheets(changed);
    } catch (error) {
      expect(error).toBeInstanceOf(Error);
    }
  }
});

/** An Excel file whose sheets are all this one. */
async function bookOf(sheet: string, count = 1): Promise<Buffer> {
  const all = Array.from({ length: count }, (_, at) => at);
  const sheets = all.map((at) => `<sheet name="S${at}" r:id="r${at}"/>`).join('');
  const targets = all.map((at) => `<Relationship Id="r${at}" Target="sheet.xml"/>`).join('');
  return await zipped({
    'xl/workbook.xml': `<workbook xmlns:r="r"><sheets>${sheets}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${targets}</Relationships>`,
    'xl/sheet.xml': `<worksheet><sheetData>${sheet}</sheetData></worksheet>`,
  });
}

const ROW = `<row>${'<c><v>1</v></c>'.repeat(100)}</row>`;

test.each<[string, string, number]>([
  ['cells', ROW.repeat(101), 1],
  ['sheets', ROW.repeat(10), 11],
  ['empty cells before others', '<row><c r="XFD1"/></row>', 1],
])('a file with too many %s is refused', async (_, sheet, count) => {
  const file = await bookOf(sheet, count);
  await expect(readSheets(file, 10_000)).rejects.toThrow('too many cells');
  expect(await readSheets(file)).toHaveLength(count);
});

test('a row with too many elements is refused before its end', async () => {
  const file = await bookOf(`<row>${'<c/>'.repeat(500_001)}</row>`);
  await expect(readSheets(file)).rejects.toThrow('too many elements');
});

test('a small archive that contains very large files is refused', async () => {
  const archive = await zipped({ 'large.xml': ' '.repeat(65 * 1024 * 1024) });
  expect(archive.length).toBeLessThan(100_000);
  const read = readZip(archive).get('large.xml');
  await read?.();
  await expect(read?.()).rejects.toThrow('too large');
});

test('a large file is read in turns', async () => {
  const file = await bookOf(ROW.repeat(1_000));
  let turns = 0;
  const counting = setInterval(() => (turns += 1), 0);
  try {
    const [sheet] = await readSheets(file);
    expect(sheet?.rows).toHaveLength(1_000);
  } finally {
    clearInterval(counting);
  }
  expect(turns).toBeGreaterThan(10);
});
