import { Trans, useLingui } from '@lingui/react/macro';
import { Columns3 } from 'lucide-react';
import buttonStyles from '../../design/Button.module.css';
import { COLUMN_TITLES, FIXED_COLUMN } from './columns.tsx';
import type { useChosenColumns } from './columns.tsx';
import styles from './Payments.module.css';

/** Which columns the list and its export have; remembered on this device. */
export function ColumnChoice({
  columns,
}: {
  readonly columns: ReturnType<typeof useChosenColumns>;
}) {
  const { i18n } = useLingui();
  const { available, chosen, choose } = columns;
  return (
    <details className={styles['columns']}>
      <summary className={buttonStyles['button']}>
        <Columns3 size={16} aria-hidden="true" />
        <Trans>Columns</Trans>
      </summary>
      <div>
        {available.map((column) => (
          <label key={column}>
            <input
              type="checkbox"
              checked={chosen.includes(column)}
              disabled={column === FIXED_COLUMN}
              onChange={(event) => choose(column, event.target.checked)}
            />
            {i18n._(COLUMN_TITLES[column])}
          </label>
        ))}
      </div>
    </details>
  );
}
