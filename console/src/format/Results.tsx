import { Trans, useLingui } from '@lingui/react/macro';
import type { PaymentInterval, PaymentSums } from '../../../src/staff/activity-view.ts';
import { Card } from '../design/Card.tsx';
import { LineChart } from '../design/LineChart.tsx';
import { Tile, Tiles } from '../design/Tile.tsx';
import { useFigures } from './figures.ts';
import { OutcomeChart, useEndsOf } from './OutcomeChart.tsx';

/** Results of the last hour in figures, and of the last 24 hours as charts. */
export function Results({
  sums,
  intervals,
}: {
  readonly sums: PaymentSums;
  readonly intervals: readonly PaymentInterval[];
}) {
  const { t } = useLingui();
  const { count, percent, duration } = useFigures();
  const ends = useEndsOf()(intervals);
  const total = intervals.reduce((sum, { paid, failed, open }) => sum + paid + failed + open, 0);
  const slowest = Math.max(0, ...intervals.map((interval) => interval.p95_seconds ?? 0));
  return (
    <>
      <Tiles>
        <Tile label={t`Payments`} value={count(sums.created)} note={t`last hour`} />
        <Tile
          label={t`Success rate`}
          value={percent(sums.success_rate)}
          note={t`${count(sums.failed)} failed`}
        />
        <Tile
          label={t`Time to result, p95`}
          value={duration(sums.p95_seconds)}
          note={t`p50 ${duration(sums.p50_seconds)}`}
        />
      </Tiles>
      <Card title={<Trans>Results</Trans>} more={<Trans>last 24 hours</Trans>}>
        <OutcomeChart
          label={t`Results of the last 24 hours: ${count(total)} payments`}
          intervals={intervals}
        />
      </Card>
      <Card title={<Trans>Time to result, p95</Trans>} more={<Trans>last 24 hours</Trans>}>
        <LineChart
          label={t`Time to result of the last 24 hours, p95: at most ${duration(slowest)}`}
          points={intervals.map((interval) => interval.p95_seconds)}
          format={duration}
          {...ends}
        />
      </Card>
    </>
  );
}
