import type { ReactNode } from 'react';
import styles from './Facts.module.css';

/** Names and values; one whose value is null is left out. */
export function Facts({
  facts,
}: {
  readonly facts: readonly { readonly name: ReactNode; readonly value: ReactNode }[];
}) {
  const shown = facts.filter(({ value }) => value !== null);
  return (
    <dl className={styles['facts']}>
      {shown.map(({ name, value }, index) => (
        <div key={index}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
