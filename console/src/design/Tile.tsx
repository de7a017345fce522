import type { ReactNode } from 'react';
import styles from './Tile.module.css';

/** A figure with what it means. Children: a link to what it counts, which covers the tile. */
export function Tile({
  label,
  value,
  note,
  tone,
  children,
}: {
  readonly label: ReactNode;
  readonly value: ReactNode;
  readonly note?: ReactNode;
  /** Absent: neither good nor bad. */
  readonly tone?: 'waiting' | 'alert' | undefined;
  readonly children?: ReactNode;
}) {
  return (
    <div className={styles['tile']} data-tone={tone}>
      <p className={styles['label']}>{label}</p>
      <p className={styles['value']}>{value}</p>
      <p className={styles['note']}>{note}&nbsp;</p>
      {children}
    </div>
  );
}

/** Tiles in a row; two in a row on narrow screens. */
export function Tiles({ children }: { readonly children: ReactNode }) {
  return <div className={styles['tiles']}>{children}</div>;
}
