import { strict } from '../../platform/base/json-fields.ts';
import { Type } from 'typebox';
import type { Static } from 'typebox';
import { compiled } from '../../platform/base/compiled.ts';
import { clampScore, pointsOfLogOdds, scoreOfLogOdds } from '../scorecards/scale.ts';
import type { Bin } from './binning.ts';
import type { Definition } from './definition.ts';
import { readJsonFile, TrainingError } from './error.ts';
import { numberOf } from './read-table.ts';
import type { Table } from './read-table.ts';
import type { Samples } from './samples.ts';
import { binOfCategory } from './table-fit.ts';
import type { FittedColumn, TableFit } from './table-fit.ts';

const POINTS = Type.Integer();
const UNKNOWN = Type.Integer({
  description: 'Points of a value that is missing or was never seen.',
});
const CELLS = Type.Array(Type.String());
const REASON = Type.Optional(Type.String());

const NUMBER_COLUMN = strict({
  name: Type.String(),
  type: Type.Literal('number'),
  missing: CELLS,
  bins: Type.Array(strict({ below: Type.Optional(Type.Number()), points: POINTS }), {
    minItems: 1,
  }),
  unknown: UNKNOWN,
  reason: REASON,
});

const CATEGORY_COLUMN = strict({
  name: Type.String(),
  type: Type.Literal('category'),
  missing: CELLS,
  bins: Type.Array(strict({ values: CELLS, points: POINTS }), { minItems: 1 }),
  unknown: UNKNOWN,
  reason: REASON,
});

const TABLE_CARD = strict({
  id: Type.String({ pattern: '^[a-z][a-z0-9-]{0,40}$' }),
  kind: Type.Literal('table'),
  version: Type.Integer({ minimum: 1 }),
  about: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()])),
  basePoints: Type.Integer(),
  columns: Type.Array(Type.Union([NUMBER_COLUMN, CATEGORY_COLUMN]), { minItems: 1 }),
});

/** A scorecard of any table: the registry’s cards have characteristics instead of columns. */
export type TableCard = Static<typeof TABLE_CARD>;
export type TableCardColumn = TableCard['columns'][number];

const schema = compiled(TABLE_CARD);

/** Throws: `TrainingError`. */
export function checkTableCard(value: unknown, source: string): TableCard {
  if (schema.fits(value)) {
    const bad = value.columns.find((column) => !areInOrder(column));
    if (bad === undefined) return value;
    throw new TrainingError(`${source}: ${bad.name}: bins must ascend, the last without an end`);
  }
  const [first] = schema.problems(value);
  throw new TrainingError(
    `${source} is not a valid scorecard of a table: ${first?.instancePath ?? ''} ${first?.message ?? ''}`,
  );
}

function areInOrder(column: TableCardColumn): boolean {
  if (column.type === 'category') return true;
  const ends = column.bins.map(({ below }) => below ?? Infinity);
  return ends.at(-1) === Infinity && ends.every((end, at) => end > (ends[at - 1] ?? -Infinity));
}

/** Throws: `TrainingError`; the error of the file system. */
export function readTableCard(file: string): TableCard {
  return checkTableCard(readJsonFile(file), file);
}

/** Points of each column: the worst bin gets 0, and the base absorbs the difference. */
export function tableCard(
  fit: Pick<TableFit, 'intercept' | 'columns'>,
  made: {
    readonly identity: Pick<TableCard, 'id' | 'version' | 'about'>;
    readonly definition: Definition;
    readonly categories: Table['categories'];
  },
): TableCard {
  let base = fit.intercept;
  const columns: TableCardColumn[] = [];
  for (const column of fit.columns) {
    const { coefficient, binning } = column;
    if (coefficient === undefined) continue;
    const bins = [...binning.bins, binning.missing!];
    const worst = Math.min(...bins.map(({ woe }) => woe));
    base += coefficient * worst;
    const pointsOf = ({ woe }: Pick<Bin, 'woe'>): number =>
      pointsOfLogOdds(coefficient * (woe - worst));
    columns.push(cardColumn(column, { pointsOf, ...made }));
  }
  const basePoints = Math.round(scoreOfLogOdds(base));
  const card = { ...made.identity, kind: 'table', basePoints, columns };
  return checkTableCard(card, `The trained card ${made.identity.id}`);
}

function cardColumn(
  column: FittedColumn,
  made: {
    readonly pointsOf: (bin: Pick<Bin, 'woe'>) => number;
    readonly definition: Definition;
    readonly categories: Table['categories'];
  },
): TableCardColumn {
  const { name, binning } = column;
  const { pointsOf } = made;
  const { missing = [], reason } = made.definition.columns.find((one) => one.name === name)!;
  const shared = { missing, unknown: pointsOf(binning.missing!), ...(reason ? { reason } : {}) };
  if (column.ranks === undefined) {
    const bins = binning.bins
      .map((bin) => ({
        ...(bin.below === Infinity ? {} : { below: bin.below }),
        points: pointsOf(bin),
      }))
      .filter((bin, at, all) => bin.points !== all[at + 1]?.points);
    return { name, type: 'number', bins, ...shared };
  }
  const { ranks } = column;
  const values = made.categories.get(name)!;
  const bins = binning.bins.map((bin) => ({
    values: values.filter((_, code) => binOfCategory(code, { ranks, binning }) === bin),
    points: pointsOf(bin),
  }));
  return { name, type: 'category', bins, ...shared };
}

/** The points of a cell of a table. Throws: `TrainingError` if it must be a number and is not. */
export function pointsOfCell(column: TableCardColumn, cell: string): number {
  if (cell === '' || column.missing.includes(cell)) return column.unknown;
  if (column.type === 'category') {
    return column.bins.find(({ values }) => values.includes(cell))?.points ?? column.unknown;
  }
  const value = numberOf(cell, column.name);
  return column.bins.find(({ below }) => below === undefined || value < below)!.points;
}

/** The points of each row of samples in one column. */
export function pointsOfColumn(
  column: TableCardColumn,
  { samples, categories }: { readonly samples: Samples; readonly categories: Table['categories'] },
): Float64Array {
  const values = samples.columns.get(column.name)!;
  if (column.type === 'number') {
    return values.map((value) =>
      Number.isNaN(value)
        ? column.unknown
        : column.bins.find(({ below }) => below === undefined || value < below)!.points,
    );
  }
  const points = categories
    .get(column.name)!
    .map(
      (text) => column.bins.find(({ values: own }) => own.includes(text))?.points ?? column.unknown,
    );
  return values.map((code) => points[code] ?? column.unknown);
}

/** The score of points, from 1 to 1000. */
export function scoreOfPoints({ basePoints }: TableCard, points: Iterable<number>): number {
  let total = basePoints;
  for (const one of points) total += one;
  return clampScore(total);
}
