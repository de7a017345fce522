import { Trans, useLingui } from '@lingui/react/macro';
import type { KeptMonths } from '../../../../src/staff/credit-monitor.ts';
import { Pill } from '../../design/Pill.tsx';
import { Table } from '../../design/Table.tsx';
import { useFigures } from '../../format/figures.ts';
import { Role } from './Scorecards.tsx';
import styles from './CardPlots.module.css';

/** The usual limits of the stability index. */
const WATCH_FROM = 0.1;
const ACT_FROM = 0.25;

/** How cards did by month, champion and challenger side by side. */
export function Months({ months }: Pick<KeptMonths, 'months'>) {
  const { t } = useLingui();
  const { count, percent } = useFigures();
  return (
    <Table
      label={t`Figures by month`}
      rows={months}
      keyOf={({ month, kind, card, role }) => `${month} ${kind} ${card} ${role}`}
      empty={t`Nobody has been scored yet, or the scores have not been measured: that happens every six hours.`}
      columns={[
        { title: t`Month`, cell: ({ month }) => <span className={styles['month']}>{month}</span> },
        { title: t`Card`, cell: ({ card }) => card },
        { title: t`Role`, cell: ({ role }) => <Role role={role} />, hide: 'small' },
        { title: t`People`, cell: ({ people }) => count(people), align: 'end' },
        {
          title: t`Stability index`,
          cell: (month) => <Stability index={month.stability_index} />,
          align: 'end',
        },
        {
          title: t`Predicted`,
          cell: ({ predicted }) => percent(predicted),
          align: 'end',
          hide: 'small',
        },
        {
          title: t`Defaulted`,
          cell: ({ observed }) => percent(observed),
          align: 'end',
          hide: 'small',
        },
      ]}
    />
  );
}

function Stability({ index }: { readonly index: number | null }) {
  if (index === null) return <Trans>too few people</Trans>;
  const text = index.toFixed(3);
  if (index < WATCH_FROM) return text;
  return <Pill tone={index < ACT_FROM ? 'waiting' : 'alert'}>{text}</Pill>;
}
