import type { ReactNode } from 'react';
import styles from './PageHeader.module.css';

/** The title of a page, a sentence about it, and what can be done. */
export function PageHeader({
  title,
  about,
  back,
  children,
}: {
  readonly title: ReactNode;
  readonly about?: ReactNode;
  /** The way back to the list. */
  readonly back?: ReactNode;
  /** Buttons. */
  readonly children?: ReactNode;
}) {
  return (
    <header className={styles['header']}>
      <div className={styles['text']}>
        {back !== undefined && <p className={styles['back']}>{back}</p>}
        <h1>{title}</h1>
        {about !== undefined && <p className={styles['about']}>{about}</p>}
      </div>
      {children !== undefined && <div className={styles['actions']}>{children}</div>}
    </header>
  );
}
