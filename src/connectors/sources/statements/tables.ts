import { findTable, plainTitle } from '../../../platform/base/tables.ts';
import type { FoundTable, TitleMatch } from '../../../platform/base/tables.ts';
import type { LineProblem } from '../../source-statements.ts';
import type { ColumnName, Columns } from './settings.ts';

export type StatementTable = FoundTable<ColumnName>;

/**
 * The table of a statement, whose columns the settings name.
 * @param optional columns that a file may do without.
 */
export async function findStatement(
  bytes: Buffer,
  columns: Columns,
  optional: ReadonlySet<ColumnName>,
): Promise<StatementTable | LineProblem> {
  const none = `there is no column ${Object.values(columns).join(', ')}`;
  return await findTable(bytes, (titles) => placesOf(titles, columns, optional), none);
}

function placesOf(
  values: readonly string[],
  columns: Columns,
  optional: ReadonlySet<ColumnName>,
): TitleMatch<ColumnName> {
  const titles = values.map((title) => title.trim());
  const plain = titles.map(plainTitle);
  const places = new Map<ColumnName, number>();
  const missing: string[] = [];
  let twice: string | undefined;
  for (const [key, title] of Object.entries(columns)) {
    const name = key as ColumnName;
    const list = titles.includes(title) ? titles : plain;
    const wanted = list === titles ? title : plainTitle(title);
    const place = list.indexOf(wanted);
    if (place >= 0) {
      places.set(name, place);
      if (list.lastIndexOf(wanted) !== place) twice ??= title;
    } else if (!optional.has(name)) missing.push(title);
  }
  if (twice === undefined || missing.length > 0) return { places, missing };
  return { places, missing, problem: `there are two columns ${twice}` };
}
