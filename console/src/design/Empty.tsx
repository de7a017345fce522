import type { ReactNode } from 'react';
import styles from './Empty.module.css';

/** Says that something is empty, why, and what to do next. */
export function Empty({
  title,
  children,
}: {
  readonly title: ReactNode;
  readonly children?: ReactNode;
}) {
  return (
    <div className={styles['empty']}>
      <p className={styles['title']}>{title}</p>
      {children !== undefined && <div>{children}</div>}
    </div>
  );
}
