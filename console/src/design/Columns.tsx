import type { ReactNode } from 'react';
import styles from './Columns.module.css';

/** Two columns, the first one wider; one below the other on narrow screens. */
export function Columns({
  children,
  equal = false,
}: {
  readonly children: ReactNode;
  readonly equal?: boolean;
}) {
  return (
    <div className={styles['columns']} data-equal={equal}>
      {children}
    </div>
  );
}

/** Several parts in one column. */
export function Stack({ children }: { readonly children: ReactNode }) {
  return <div className={styles['stack']}>{children}</div>;
}
