import { useLingui } from '@lingui/react/macro';
import type { PaymentInterval } from '../../../src/staff/activity-view.ts';
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
  const ends = useEndsOf()(intervals);
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
      {...ends}
    />
  );
}

/** The time of day when an interval begins. */
function useTimeOf(): (interval: PaymentInterval) => string {
  const clock = useClock({});
  return ({ begin }) => clock.format(new Date(begin));
}

/** When the first and the last interval begin: with the day of the week if they are far apart. */
export function useEndsOf(): (
  intervals: readonly PaymentInterval[],
) => Readonly<Record<'begin' | 'end', string>> {
  const clock = useClock({});
  const day = useClock({ weekday: 'short' });
  return (intervals) => {
    const [begin, end] = [intervals[0], intervals.at(-1)].map(
      (interval) => interval && new Date(interval.begin),
    );
    if (begin === undefined || end === undefined) return { begin: '', end: '' };
    const isLong = end.getTime() - begin.getTime() > HALF_A_DAY_MS;
    const format = isLong ? day : clock;
    return { begin: format.format(begin), end: format.format(end) };
  };
}

const HALF_A_DAY_MS = 12 * 3_600_000;

function useClock(more: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const { i18n } = useLingui();
  const { timeZone } = useSession();
  return new Intl.DateTimeFormat(i18n.locale, {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    ...more,
  });
}
