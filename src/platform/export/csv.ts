import type { WireTime } from '../base/clock.ts';
import { csvLine } from '../base/csv.ts';
import { formatMoney } from '../base/money.ts';
import { slicesOf } from './rows.ts';
import type { Cell, ExportTable } from './rows.ts';

/** The table as CSV for people, some lines at a time. */
export function csvOf(table: ExportTable, wireTime: WireTime): AsyncGenerator<string> {
  return linesOf(table, (cell) => textOf(cell, wireTime));
}

/** The table as CSV for programs: amounts in cents, times in ISO 8601. */
export function csvForPrograms(table: ExportTable): AsyncGenerator<string> {
  return linesOf(table, (cell) => {
    if (cell === null) return '';
    return cell instanceof Date ? cell.toISOString() : String(cell);
  });
}

async function* linesOf(
  table: ExportTable,
  textFor: (cell: Cell) => string,
): AsyncGenerator<string> {
  yield csvLine(table.titles);
  for await (const rows of slicesOf(table)) {
    yield rows.map((cells) => csvLine(cells, textFor)).join('');
  }
}

/** A cell as text: amounts with two decimals, times in the service's time zone. */
export function textOf(cell: Cell, wireTime: WireTime): string {
  if (cell === null) return '';
  if (typeof cell === 'bigint') return formatMoney(cell);
  return cell instanceof Date ? wireTime.format(cell) : cell;
}
