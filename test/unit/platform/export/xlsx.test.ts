import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { createWireTime } from '../../../../src/platform/base/clock.ts';
import { csvOf } from '../../../../src/platform/export/csv.ts';
import type { Cell } from '../../../../src/platform/export/rows.ts';
import { xlsxOf } from '../../../../src/platform/export/xlsx.ts';
import { readXlsx, unzip } from '../../../support/read-xlsx.ts';

const wireTime = createWireTime('Africa/Nairobi');

async function* rowsOf(rows: readonly (readonly Cell[])[]): AsyncGenerator<readonly Cell[][]> {
  for (const row of rows) yield [[...row]];
}
const table = (...rows: readonly (readonly Cell[])[]) => ({
  titles: ['time', 'text', 'amount'],
  rows: rowsOf(rows),
});
const xlsx = async (...rows: readonly (readonly Cell[])[]): Promise<Buffer> =>
  await buffer(Readable.from(xlsxOf(table(...rows), wireTime)));

const AT = new Date('2026-11-22T21:30:00Z');

test('has amounts as numbers and times as text of the time zone, like the CSV', async () => {
  const row = [AT, 'a & <b>, "c"', -123_456n] as const;
  expect(await readXlsx(await xlsx(row, [null, '', 0n]))).toEqual([
    ['time', 'text', 'amount'],
    ['2026-11-23 00:30:00', 'a & <b>, "c"', '-1234.56'],
    ['', '', '0.00'],
  ]);
  const csv = await text(Readable.from(csvOf(table(row), wireTime)));
  expect(csv).toBe('time,text,amount\r\n2026-11-23 00:30:00,"a & <b>, ""c""",-1234.56\r\n');
});

test('keeps text that looks like a formula, a number or an escape as text', async () => {
  const texts = ['=cmd|"/c calc"!A1', '+1', '-1', '@x', '0123', '_x0041_', 'a\u0000b\ud800'];
  const made = await xlsx(...texts.map((value) => [null, value, null]));
  const sheet = (await unzip(made)).get('xl/worksheets/sheet1.xml') ?? '';
  expect(sheet).not.toContain('<f>');
  expect((await readXlsx(made)).map(([, value]) => value)).toEqual([
    ...['text', '=cmd|"/c calc"!A1', '+1', '-1', '@x', '0123'],
    ...['_x005F_x0041_', 'a\ufffdb\ufffd'],
  ]);
  // Style 3 has a quote prefix: the text stays text when somebody edits the cell.
  expect(sheet).toContain('<c r="B2" s="3" t="inlineStr">');
  expect((await unzip(made)).get('xl/styles.xml')).toContain(' quotePrefix="1"/></cellXfs>');
});

test('reads no further than it is read, and ends with the error of its rows', async () => {
  let made = 0;
  async function* endless(): AsyncGenerator<readonly Cell[][]> {
    for (;;) {
      made += 1;
      yield [[AT, String(Math.random()), 1n]];
    }
  }
  const some = Readable.from(xlsxOf({ titles: ['a'], rows: endless() }, wireTime));
  for await (const _chunk of some) break;
  const before = made;
  await new Promise((resolve) => setImmediate(resolve));
  expect(made - before).toBeLessThan(2);
  async function* failing(): AsyncGenerator<readonly Cell[][]> {
    yield [[AT, 'x', 1n]];
    throw new Error('the database is gone');
  }
  const failed = Readable.from(xlsxOf({ titles: ['a'], rows: failing() }, wireTime));
  await expect(buffer(failed)).rejects.toThrow('the database is gone');
});
