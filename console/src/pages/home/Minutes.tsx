import { Trans, useLingui } from '@lingui/react/macro';
import type { OverviewAnswer } from '../../../../src/staff/overview.ts';
import { Card } from '../../design/Card.tsx';
import { useFigures } from '../../format/figures.ts';
import { OutcomeChart } from '../../format/OutcomeChart.tsx';

/** Payments per minute in the last hour. */
export function Minutes({ home }: { readonly home: OverviewAnswer }) {
  const { t } = useLingui();
  const { count } = useFigures();
  const { created, paid, failed, open } = home.last_hour;
  return (
    <Card title={<Trans>Payments per minute</Trans>} more={<Trans>last hour</Trans>}>
      <OutcomeChart
        label={t`Payments per minute in the last hour: ${count(created)} in all, ${count(paid)} paid, ${count(failed)} failed, ${count(open)} open`}
        intervals={home.minutes}
      />
    </Card>
  );
}
