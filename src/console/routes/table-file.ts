import { Readable } from 'node:stream';
import type { Static, TObject } from 'typebox';
import type { WireTime } from '../../platform/base/clock.ts';
import { csvOf } from '../../platform/export/csv.ts';
import type { Cell, ExportTable } from '../../platform/export/rows.ts';
import { xlsxOf } from '../../platform/export/xlsx.ts';
import type { Permission } from '../../parties/people/permissions.ts';
import { Download, route, withMark } from '../route.ts';
import type { AnyRoute, RouteContext } from '../route.ts';

const TYPES = {
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  csv: 'text/csv; charset=utf-8',
} as const;

export type FileFormat = keyof typeof TYPES;

interface NamedTable {
  /** Of the file, without its ending. */
  readonly name: string;
  readonly table: ExportTable;
}

/** A table at `<path>.xlsx` and `<path>.csv`. */
export function fileRoutes<
  Params extends TObject = TObject,
  Query extends TObject = TObject,
>(subject: {
  readonly path: string;
  readonly permission: Permission;
  readonly params?: Params;
  readonly query?: Query;
  readonly wireTime: WireTime;
  readonly read: (
    input: { readonly params: Static<Params>; readonly query: Static<Query> },
    by: RouteContext & { readonly format: FileFormat },
  ) => Promise<NamedTable>;
}): AnyRoute[] {
  const { path, read, wireTime, ...common } = subject;
  return (Object.keys(TYPES) as FileFormat[]).map((format) =>
    route<Params, Query>({
      ...common,
      method: 'GET',
      path: `${path}.${format}`,
      handle: async (input, context) => {
        const named = await read(input, { ...context, format });
        return new Download(fileOf(named, format, wireTime));
      },
    }),
  );
}

/** A table as a file. */
export function fileOf(
  { name, table }: NamedTable,
  format: FileFormat,
  wireTime: WireTime,
): Pick<Download, 'name' | 'type' | 'body'> {
  const content = format === 'csv' ? withMark(csvOf(table, wireTime)) : xlsxOf(table, wireTime);
  return { name: `${name}.${format}`, type: TYPES[format], body: Readable.from(content) };
}

/** A table whose rows are known. */
export function tableOf(
  titles: readonly string[],
  rows: readonly (readonly Cell[])[],
): ExportTable {
  return { titles, rows: Readable.from([rows]) };
}

/** An amount of the API as a number of the file: it has two decimals. */
export function amountCell(amount: string): bigint {
  return BigInt(amount.replace('.', ''));
}
