import type { WireTime } from '../base/clock.ts';
import { csvLine } from '../base/csv.ts';
import { formatMoney } from '../base/money.ts';
import type { Cell, ExportTable } from './rows.ts';

/** The table as CSV, some lines at a time. */
export async function* csvOf(table: ExportTable, wireTime: WireTime): AsyncGenerator<string> {
  yield csvLine(table.titles);
  for await (const rows of table.rows) {
    yield rows.map((cells) => csvLine(cells.map((cell) => textOf(cell, wireTime)))).join('');
  }
}

/** A cell as text: amounts with two decimals, times in the service's time zone. */
export function textOf(cell: Cell, wireTime: WireTime): string {
  if (cell === null) return '';
  if (typeof cell === 'bigint') return formatMoney(cell);
  return cell instanceof Date ? wireTime.format(cell) : cell;
}
