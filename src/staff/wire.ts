import type { Static, TObject } from 'typebox';
import { formatMoney } from '../platform/base/money.ts';

/** A value under the names of `/v1`: `balanceCents` becomes `balance`, as decimal text; a time becomes ISO 8601. */
export type OnWire<Value> = Value extends Date | bigint
  ? string
  : Value extends readonly (infer Item)[]
    ? OnWire<Item>[]
    : Value extends object
      ? { [Name in keyof Value & string as Snake<NameOf<Name>>]: OnWire<Value[Name]> }
      : Value;

type NameOf<Name extends string> = Name extends `${infer Amount}Cents`
  ? Amount
  : Name extends `${infer Coded extends 'biller' | 'operator' | 'source'}Code`
    ? Coded
    : Name;
type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : '';

/** A code of a biller, an operator or a source is called as what it names. */
const NOT_SAID = /Cents$|(?<=^(?:biller|operator|source))Code$/;

/** At any depth. A number of 64 bits that is no amount becomes text, too. */
export function wireOf<Value>(value: Value): OnWire<Value> {
  return wired(value, false) as OnWire<Value>;
}

function wired(value: unknown, isAmount: boolean): unknown {
  if (typeof value === 'bigint') return isAmount ? formatMoney(value) : String(value);
  // Amounts of a stored document.
  if (isAmount && typeof value === 'string') return formatMoney(BigInt(value));
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map((item) => wired(item, isAmount));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name.replace(NOT_SAID, '').replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      wired(each, name.endsWith('Cents')),
    ]),
  );
}

/** What may be null may be left out. */
type Fitting<Value> = {
  [Name in keyof Value as null extends Value[Name] ? never : Name]: Value[Name];
} & {
  [Name in keyof Value as null extends Value[Name] ? Name : never]?: Value[Name] | undefined;
};

/** The properties of a schema, in its order. What it does not name stays inside, and what is not given is null. */
export function fit<Schema extends TObject>(
  { properties, required }: Schema,
  value: Fitting<Static<Schema>>,
): Static<Schema> {
  const given = value as Readonly<Record<string, unknown>>;
  const names: readonly string[] = required ?? [];
  const nothing = (name: string): null | undefined => (names.includes(name) ? null : undefined);
  return Object.fromEntries(
    Object.keys(properties).map((name) => [name, given[name] ?? nothing(name)]),
  ) as Static<Schema>;
}
