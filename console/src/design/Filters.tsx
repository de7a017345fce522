import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { Button } from './Button.tsx';
import styles from './Filters.module.css';

/** Fields that say what a list or a report is of, applied together. */
export function Filters({
  onFilter,
  children,
}: {
  /** Gets the fields that are not empty by name. */
  readonly onFilter: (fields: Readonly<Record<string, string>>) => void;
  readonly children: ReactNode;
}) {
  return (
    <form
      className={styles['filters']}
      onSubmit={(event) => {
        event.preventDefault();
        const fields: Record<string, string> = {};
        for (const [name, value] of new FormData(event.currentTarget)) {
          if (typeof value === 'string' && value !== '') fields[name] = value;
        }
        onFilter(fields);
      }}
    >
      {children}
      <Button type="submit">
        <Trans>Filter</Trans>
      </Button>
    </form>
  );
}
