import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { csvExportValue, csvValue } from '../../../../src/platform/base/csv.ts';
import { readCsv } from '../../../../src/platform/csv-file.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'csv-'));
});

afterAll(async () => await rm(folder, { recursive: true }));

/** Each line as its number and its values, or its problem. */
async function read(text: string | Buffer): Promise<[number, readonly string[] | string][]> {
  const file = path.join(folder, 'file.csv');
  await writeFile(file, text);
  const lines: [number, readonly string[] | string][] = [];
  for await (const { line, values, problem } of readCsv(file))
    lines.push([line, problem ?? values]);
  return lines;
}

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

describe('a CSV file', () => {
  test.each(['\n', '\r\n', '\r'])('reads a file whatever its lines end with (%j)', async (end) => {
    const text = ['\ufeff"a",b', '', '"1,""2""",é', ',', 'end'].join(end);
    const lines = [
      [1, ['a', 'b']],
      [3, ['1,"2"', 'é']],
      [4, ['', '']],
      [5, ['end']],
    ];
    expect(await read(text)).toEqual(lines);
    expect(await read(text + end)).toEqual(lines);
  });

  test('an open quote loses only that line', async () => {
    const open = 'a quote that opens a value must be closed on the same line';
    const unmatched = 'a quote may only be around a whole value, and is doubled within it';
    expect(await read('a,b\n1,"2\n3,4\n"5\n6"7,8\n"9"0\n"", \n')).toEqual([
      [1, ['a', 'b']],
      [2, open],
      [3, ['3', '4']],
      [4, open],
      [5, unmatched],
      [6, unmatched],
      [7, ['', ' ']],
    ]);
  });

  test('an endless line is read in constant memory, and reading continues after it', async () => {
    const lines = await read(`a\n${'x,'.repeat(200_000)}\nb\n${'"'.repeat(40_000)}`);
    expect(lines).toEqual([
      [1, ['a']],
      [2, 'the line is too long'],
      [3, ['b']],
      [4, 'the line is too long'],
    ]);
  });

  test('reads a file as it was written, wherever its chunks end', async () => {
    const value = fc.string({ unit: fc.constantFrom('a', '"', ',', ' ', 'ñ', '€', '😀') });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(value, value), { minLength: 1, maxLength: 20 }),
        fc.nat({ max: 20 }),
        fc.constantFrom('\n', '\r\n'),
        // Some writers quote all values, others only those that need it.
        fc.constantFrom(quoted, csvValue),
        async (rows, shift, end, write) => {
          // The first chunk ends somewhere within the rows.
          const padding = 'p'.repeat(32 * 1024 - shift);
          const text = [padding, ...rows.map((row) => row.map(write).join(','))].join(end);
          const [, ...lines] = await read(text);
          expect(lines).toEqual(rows.map((row, index) => [index + 2, row]));
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe('a value of an export', () => {
  test.each(['=1+1', '+cmd', '-2+3', '@SUM(A1)', '\t=1', '\r=1', ' =1', '＝1', '-', '+254 722'])(
    'a value that a spreadsheet would run gets an apostrophe: %j',
    (text) => expect(csvExportValue(text)).toMatch(/^"?'/),
  );

  test.each([
    ['x;=HYPERLINK(A1)', "x;'=HYPERLINK(A1)"],
    ['x; =1', "x; '=1"],
    ['x\t@SUM(A1)', "x\t'@SUM(A1)"],
    ['x;"=1"', `"x;""'=1"""`],
    ['x,1;-2+3', `"x,1;'-2+3"`],
    ['x\n＝1', `"x\n'＝1"`],
    ['-5;+1', "'-5;'+1"],
    ['x;;\r\n=1', `"x;;\r\n'=1"`],
  ])(
    'a value that a spreadsheet would run in a next cell gets an apostrophe there: %j',
    (text, exported) => expect(csvExportValue(text)).toBe(exported),
  );

  test.each([
    ...['abc', '-100.00', '+254722000000', '1-2', '', 'a=b', '14234567890'],
    ...['a;b', 'Linux; x86_64', 'a;', 'a - b', ';"'],
  ])('text or a number stays as it is: %j', (text) =>
    expect(csvExportValue(text)).toBe(csvValue(text)),
  );
});
