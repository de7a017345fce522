import { formatMoney } from '../platform/base/money.ts';
import type { OnWire } from './answers.ts';

/** A row as the API answers with it. */
export function onWire<Row extends object>(row: Row): OnWire<Row> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]: [string, unknown]) => {
      if (typeof value === 'bigint') return [name.replace(/Cents$/, ''), formatMoney(value)];
      return [name.replace(/Cents$/, ''), value instanceof Date ? value.toISOString() : value];
    }),
  ) as OnWire<Row>;
}
