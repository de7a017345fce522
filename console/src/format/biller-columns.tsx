import { useLingui } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import type { BillerView } from '../../../src/console/operations-answers.ts';
import type { Column } from '../design/Table.tsx';
import { BillerState } from './BillerState.tsx';
import { useFigures } from './figures.ts';

/** The columns of lists of billers: name and state, then the figures of the last hour. */
export function useBillerColumns(): {
  readonly state: readonly Column<BillerView>[];
  readonly lastHour: readonly Column<BillerView>[];
} {
  const { t } = useLingui();
  const { count, percent, duration } = useFigures();
  return {
    state: [
      {
        title: t`Biller`,
        cell: ({ code, name }) => (
          <Link to="/billers/$code" params={{ code }}>
            {name}
          </Link>
        ),
      },
      { title: t`State`, cell: (biller) => <BillerState biller={biller} /> },
    ],
    lastHour: [
      { title: t`Payments`, cell: ({ lastHour }) => count(lastHour.created), align: 'end' },
      {
        title: t`Success`,
        cell: ({ lastHour }) => percent(lastHour.successRate),
        align: 'end',
        hide: 'small',
      },
      {
        title: t`p95`,
        cell: ({ lastHour }) => duration(lastHour.p95Seconds),
        align: 'end',
        hide: 'small',
      },
    ],
  };
}
