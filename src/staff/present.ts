import type { WireTime } from '../platform/base/clock.ts';
import type { Cell } from '../platform/export/rows.ts';
import { propertiesOf } from './definition.ts';
import type { AnyView, Property } from './definition.ts';

/** How people see an answer: the same columns, titles and order in a terminal, a file and a page. */

export type Row = Readonly<Record<string, unknown>>;

export interface Column {
  readonly name: string;
  readonly title: string;
  readonly property: Property;
}

/** The properties that people see. */
export function columnsOf(schema: object): Column[] {
  return propertiesOf(schema).flatMap(([name, property]) =>
    property.title === undefined ? [] : [{ name, title: property.title, property }],
  );
}

/** The columns of the rows of a view. */
export function rowColumns({ output, rows = '' }: AnyView): Column[] {
  const [, list] = propertiesOf(output).find(([name]) => name === rows) ?? [];
  return list?.items === undefined ? [] : columnsOf(list.items);
}

/** The row before all others; undefined: it has none. */
export function firstOf({ first = '' }: AnyView, answer: Row): Row | undefined {
  return (answer[first] ?? undefined) as Row | undefined;
}

/** The row after all others, with their sums; undefined: it has none, no rows, or more pages. */
export function totalOf({ rows = '', first, total = '' }: AnyView, answer: Row): Row | undefined {
  const isEmpty = (answer[rows] as readonly Row[]).length === 0 && first === undefined;
  if (isEmpty || typeof answer['next'] === 'string') return undefined;
  return (answer[total] ?? undefined) as Row | undefined;
}

/** The cells of such a row: its title comes first, and what is no sum is empty. */
export function totalCells<Value>(
  columns: readonly Column[],
  total: Row,
  cellOf: (column: Column) => Value,
): (Value | string)[] {
  return columns.map((column, index) => {
    if (column.name in total) return cellOf(column);
    return index === 0 ? 'total' : '';
  });
}

/** A value as a terminal shows it. */
export function textFor({ name, property }: Column, row: Row, wireTime: WireTime): string {
  const value = row[name];
  const { text, unit } = property;
  const timeOf = (iso: string): string => wireTime.format(new Date(iso));
  if (text !== undefined) return text(value as never, row as never, timeOf);
  if (value === null || value === undefined) return property.nullText ?? '';
  if (unit === 'time' && typeof value === 'string') return timeOf(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return plainText(value);
}

const plainText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

/** A fact as a terminal shows it: its lines, each with a name. */
export function factOf(
  column: Column,
  row: Row,
  wireTime: WireTime,
): [name: string, text: string][] {
  const { name, title, property } = column;
  const value = row[name];
  const isNull = value === null || value === undefined;
  if (isNull && (property.isOptional ?? property.spread) && property.nullText === undefined)
    return [];
  if (isNull || property.spread !== true) {
    return [[(title || name).toLowerCase(), textFor(column, row, wireTime)]];
  }
  const heading: [string, string][] = title === '' ? [] : [[title.toLowerCase(), '']];
  return [...heading, ...linesIn(value)];
}

function linesIn(value: object): [name: string, text: string][] {
  if (!Array.isArray(value))
    return Object.entries(value).map(([name, each]) => [
      name.replaceAll('_', ' '),
      each === null ? '' : plainText(each),
    ]);
  return (value as readonly Labelled[]).map(({ label, text, amount }) => [
    label.toLowerCase(),
    [amount, text].filter((part) => part !== null).join(' '),
  ]);
}

interface Labelled {
  readonly label: string;
  readonly text: string | null;
  readonly amount: string | null;
}

/** A value as a file has it: amounts are numbers, and times have a cell of their own. */
export function cellFor({ name, property }: Column, row: Row): Cell {
  const value = row[name];
  if (value === null || value === undefined) return property.nullText ?? null;
  if (property.unit === 'time' && typeof value === 'string') return new Date(value);
  if (property.unit === 'money' && typeof value === 'string') return BigInt(value.replace('.', ''));
  if (property.unit === 'days') return `${plainText(value)} days`;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return plainText(value);
}

export const isNumber = ({ property: { unit } }: Column): boolean =>
  unit === 'money' || unit === 'count';
