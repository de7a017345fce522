import { useLingui } from '@lingui/react/macro';
import type { PaymentInterval } from '../../../src/console/operations-answers.ts';
import { useSession } from '../app/session.ts';
import { BarChart } from '../design/BarChart.tsx';
import { useFigures } from './figures.ts';

/** Paid, open and failed payments of equal intervals. */
export function OutcomeChart({
  label,
  intervals,
}: {
  readonly label: string;
  readonly intervals: readonly PaymentInterval[];
}) {
  const { t } = useLingui();
  const { count } = useFigures();
  const timeOf = useTimeOf();
  return (
    <BarChart
      label={label}
      series={[
        { name: t`paid`, tone: 'done' },
        { name: t`without a result`, tone: 'waiting' },
        { name: t`failed`, tone: 'alert' },
      ]}
      bars={intervals.map((interval) => ({
        title: t`${timeOf(interval)}: ${count(interval.paid)} paid, ${count(interval.open)} without a result, ${count(interval.failed)} failed`,
        values: [interval.paid, interval.open, interval.failed],
      }))}
      begin={timeOf(intervals[0])}
      end={timeOf(intervals.at(-1))}
    />
  );
}

/** The time of day when an interval begins. */
export function useTimeOf(): (interval: PaymentInterval | undefined) => string {
  const { i18n } = useLingui();
  const { timeZone } = useSession();
  const clock = new Intl.DateTimeFormat(i18n.locale, {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  return (interval) => (interval === undefined ? '' : clock.format(new Date(interval.begin)));
}
