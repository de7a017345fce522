import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createWireTime } from '../../../../src/platform/base/clock.ts';
import { csvForPrograms, csvOf } from '../../../../src/platform/export/csv.ts';
import { SLICE_ROWS } from '../../../../src/platform/export/rows.ts';
import type { ExportTable } from '../../../../src/platform/export/rows.ts';
import { xlsxOf } from '../../../../src/platform/export/xlsx.ts';

const SLICES = 10;

/** A table whose rows are read all at once. */
function tableOf(rows: number): ExportTable {
  const all = Array.from({ length: rows }, (_, row) => [`row ${row}`, BigInt(row)]);
  return {
    titles: ['name', 'amount'],
    rows: (async function* read() {
      yield all;
    })(),
  };
}

const wireTime = createWireTime('Africa/Nairobi');

test.each([
  ['CSV for people', (table: ExportTable) => csvOf(table, wireTime)],
  ['CSV for programs', csvForPrograms],
  ['a workbook', (table: ExportTable) => xlsxOf(table, wireTime)],
] as const)('while a long table is written as %s, others have their turns', async (_, write) => {
  let turns = 0;
  const written = new AbortController();
  const others = (async () => {
    while (!written.signal.aborted) {
      await setImmediate();
      turns += 1;
    }
  })();
  let length = 0;
  for await (const part of write(tableOf(SLICES * SLICE_ROWS))) length += part.length;
  written.abort();
  await others;
  expect(length).toBeGreaterThan(0);
  expect(turns).toBeGreaterThanOrEqual(SLICES - 1);
});
