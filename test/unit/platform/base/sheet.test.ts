import { expect, test } from 'vitest';
import { readSheets } from '../../../../src/platform/base/sheet.ts';
import { isZip, readZip } from '../../../../src/platform/base/zip.ts';
import { makeXlsx } from '../../../support/make-xlsx.ts';

test('texts, numbers and dates of a sheet are read by their columns', async () => {
  const at = new Date('2026-11-27T14:05:11Z');
  const file = await makeXlsx([
    ['Title <&>', null, 'Paid In'],
    [],
    [at, 'x', 22_485, 0.1 + 0.2, new Date('2026-11-27T00:00:00Z')],
    [null, '001', 1e15],
  ]);
  expect(isZip(file)).toBe(true);
  expect(readSheets(file)).toEqual([
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
    const [sheet] = readSheets(await makeXlsx(rows, { dateFormat, is1904: true }));
    expect(sheet?.rows[0]?.values).toEqual(['2026-11-27']);
  },
);

test.each(['0.00', '#,##0 "days"', '[Red]0'])(
  'the format %s shows a number',
  async (dateFormat) => {
    const [sheet] = readSheets(
      await makeXlsx([[new Date('2026-11-27T00:00:00Z')]], { dateFormat }),
    );
    expect(sheet?.rows[0]?.values).toEqual(['46353']);
  },
);

test('a damaged archive is refused, wherever it is damaged', async () => {
  const file = await makeXlsx([['Date', 'Amount']]);
  expect(() => readZip(Buffer.from('PK\u0003\u0004'))).toThrow('the archive is damaged');
  for (let length = 4; length < file.length; length += 7) {
    expect(() => readSheets(file.subarray(0, length))).toThrow('damaged');
  }
  for (let at = 0; at < file.length; at += 1) {
    const changed = Buffer.from(file);
    changed[at] = (changed[at] ?? 0) ^ 0xff;
    try {
      readSheets(changed);
    } catch (error) {
      expect(error).toBeInstanceOf(Error);
    }
  }
});
