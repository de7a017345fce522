import type { ReactNode } from 'react';
import styles from './Rows.module.css';

export interface Row {
  readonly key: string;
  readonly title: ReactNode;
  readonly value: ReactNode;
  readonly note?: ReactNode;
}

/** A short list: a title with a value on the right, and a note below. */
export function Rows({
  rows,
  empty,
}: {
  readonly rows: readonly Row[];
  readonly empty: ReactNode;
}) {
  if (rows.length === 0) return <p className={styles['empty']}>{empty}</p>;
  return (
    <ul className={styles['rows']}>
      {rows.map(({ key, title, value, note }) => (
        <li key={key}>
          <span className={styles['title']}>{title}</span>
          <span className={styles['value']}>{value}</span>
          {note !== undefined && <span className={styles['note']}>{note}</span>}
        </li>
      ))}
    </ul>
  );
}
