import type { ReactNode } from 'react';
import styles from './Card.module.css';

/** A titled part of a page. */
export function Card({
  title,
  more,
  children,
}: {
  readonly title: ReactNode;
  /** A link or a note on the right of the title. */
  readonly more?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <section className={styles['card']}>
      <header>
        <h2>{title}</h2>
        {more !== undefined && <div className={styles['more']}>{more}</div>}
      </header>
      {children}
    </section>
  );
}
