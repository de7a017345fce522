import type { ReactNode } from 'react';
import styles from './Table.module.css';

export interface Column<Row> {
  readonly title: ReactNode;
  readonly cell: (row: Row) => ReactNode;
  readonly align?: 'end';
  /** Left out on narrow screens, or on all others. */
  readonly hide?: 'small' | 'wide';
  /** Below the rows. */
  readonly total?: ReactNode;
}

/** Rows in columns. */
export function Table<Row>({
  label,
  columns,
  rows,
  keyOf,
  empty,
}: {
  /** For screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** Shown when there are no rows. */
  readonly empty: ReactNode;
}) {
  if (rows.length === 0) return <p className={styles['empty']}>{empty}</p>;
  return (
    // Keyboard users scroll it, so it can be focused.
    <div className={styles['scroll']} tabIndex={0} role="region" aria-label={label}>
      <table className={styles['table']}>
        <thead>
          <tr>
            {columns.map((column, index) => (
              <th key={index} scope="col" data-align={column.align} data-hide={column.hide}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column, index) => (
                <td key={index} data-align={column.align} data-hide={column.hide}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
        {columns.some(({ total }) => total !== undefined) && (
          <tfoot>
            <tr>
              {columns.map((column, index) => (
                <td key={index} data-align={column.align} data-hide={column.hide}>
                  {column.total}
                </td>
              ))}
            </tr>
          </tfoot>
        )}
      </table>
    </div>
  );
}
