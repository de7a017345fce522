import { useLingui } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import type { BillerState as State } from '../../../src/staff/biller-view.ts';
import type { Column } from '../design/Table.tsx';
import { BillerState } from './BillerState.tsx';
import { useFigures } from './figures.ts';

/** The columns of lists of billers: name and state, then the figures of the last hour. */
export function useBillerColumns(): {
  readonly state: readonly Column<State>[];
  readonly lastHour: readonly Column<State>[];
} {
  const { t } = useLingui();
  const { count, percent, duration } = useFigures();
  return {
    state: [
      {
        title: t`Biller`,
        cell: ({ biller: code, name }) => (
          <Link to="/billers/$code" params={{ code }}>
            {name}
          </Link>
        ),
      },
      { title: t`State`, cell: (biller) => <BillerState biller={biller} /> },
    ],
    lastHour: [
      { title: t`Payments`, cell: ({ last_hour: sums }) => count(sums.created), align: 'end' },
      {
        title: t`Success`,
        cell: ({ last_hour: sums }) => percent(sums.success_rate),
        align: 'end',
        hide: 'small',
      },
      {
        title: t`p95`,
        cell: ({ last_hour: sums }) => duration(sums.p95_seconds),
        align: 'end',
        hide: 'small',
      },
    ],
  };
}
