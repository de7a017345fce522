import { formatMoney } from '../platform/base/money.ts';
import type { OnWire } from './answers.ts';

/** Converts a row to the form of the API. */
export function onWire<Row extends object>(row: Row): OnWire<Row> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]: [string, unknown]) => {
      if (typeof value === 'bigint') return [name.replace(/Cents$/, ''), formatMoney(value)];
      return [name.replace(/Cents$/, ''), value instanceof Date ? value.toISOString() : value];
    }),
  ) as OnWire<Row>;
}
