import { formatMoney } from '../platform/base/money.ts';

/** A row as answers have it: snake case, times in ISO 8601, cents as decimal text under a name without the unit. */
export type OnWire<Row> = {
  -readonly [
    Name in keyof Row & string as Name extends `${infer Short}Cents` ? Snake<Short> : Snake<Name>
  ]: Row[Name] extends infer Value ? (Value extends Date | bigint ? string : Value) : never;
};

type Snake<Name extends string> = Name extends `${infer Head}${infer Rest}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${Snake<Rest>}`
  : '';

export function wireOf<Row extends object>(row: Row): OnWire<Row> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]: [string, unknown]) => [
      name.replace(/Cents$/, '').replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      typeof value === 'bigint'
        ? formatMoney(value)
        : value instanceof Date
          ? value.toISOString()
          : value,
    ]),
  ) as OnWire<Row>;
}
