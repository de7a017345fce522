import type { ReactNode } from 'react';
import styles from './Facts.module.css';

/** Names and values. */
export function Facts({
  facts,
}: {
  readonly facts: readonly { readonly name: ReactNode; readonly value: ReactNode }[];
}) {
  return (
    <dl className={styles['facts']}>
      {facts.map(({ name, value }, index) => (
        <div key={index}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
