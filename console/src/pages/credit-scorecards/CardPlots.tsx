import { Trans, useLingui } from '@lingui/react/macro';
import type { ScorecardDetail } from '../../../../src/staff/credit-scorecard-schema.ts';
import { BarChart } from '../../design/BarChart.tsx';
import { Card } from '../../design/Card.tsx';
import { PLOT_HEIGHT, Plot, roundUp } from '../../design/Plot.tsx';
import { useFigures } from '../../format/figures.ts';
import styles from './CardPlots.module.css';

type Plots = NonNullable<ScorecardDetail['plots']>;

/** How well the card tells people apart, on people whom it was not made from. */
export function CardPlots({ plots }: { readonly plots: Plots }) {
  const { count } = useFigures();
  return (
    <div className={styles['plots']}>
      <Card title={<Trans>ROC curve</Trans>}>
        <Roc plots={plots} />
        <p className={styles['note']}>
          <Trans>
            The higher the curve above the diagonal, the better the score tells people who default
            from people who repay. Tested on {count(plots.samples)} people, of whom{' '}
            {count(plots.bads)} defaulted.
          </Trans>
        </p>
      </Card>
      <Card title={<Trans>Scores by outcome</Trans>}>
        <Distribution plots={plots} />
        <p className={styles['note']}>
          <Trans>The two groups differ most at score {plots.ks.below}: that is the KS.</Trans>
        </p>
      </Card>
      <Card title={<Trans>Calibration</Trans>}>
        <Calibration plots={plots} />
        <p className={styles['note']}>
          <Trans>
            Solid: the share that defaulted. Dashed: the share that the card predicts. They should
            agree.
          </Trans>
        </p>
      </Card>
    </div>
  );
}

function Roc({ plots: { roc } }: { readonly plots: Plots }) {
  const { t } = useLingui();
  const { percent } = useFigures();
  const points = roc.map(({ goods, bads }) => [goods * PLOT_HEIGHT, bads * PLOT_HEIGHT] as const);
  const half = roc.find(({ goods }) => goods >= 0.2);
  return (
    <Plot
      label={t`ROC curve: a score limit that refuses a fifth of those who repaid refuses ${percent(half?.bads ?? null)} of those who defaulted.`}
      begin={t`0 % of those who repaid`}
      end="100 %"
      top="100 %"
      middle="50 %"
      width={PLOT_HEIGHT}
    >
      <path className={styles['guide']} d={`M0 ${PLOT_HEIGHT}L${PLOT_HEIGHT} 0`} />
      <path className={styles['line']} d={pathOf(points)} />
    </Plot>
  );
}

function Distribution({ plots: { bands } }: { readonly plots: Plots }) {
  const { t } = useLingui();
  const { count } = useFigures();
  return (
    <BarChart
      label={t`People by score: those who repaid, and those who defaulted.`}
      series={[
        { name: t`repaid`, tone: 'done' },
        { name: t`defaulted`, tone: 'alert' },
      ]}
      bars={bands.map(({ from, goods, bads }) => ({
        title: t`from ${from}: ${count(goods)} repaid, ${count(bads)} defaulted`,
        values: [goods, bads],
      }))}
      begin={bands[0]?.from}
      end={bands.at(-1)?.from}
    />
  );
}

/** With fewer people a share is chance. */
const MIN_PEOPLE = 20;

function Calibration({ plots: { bands } }: { readonly plots: Plots }) {
  const { t } = useLingui();
  const { percent } = useFigures();
  const shown = bands.filter(({ goods, bads }) => goods + bads >= MIN_PEOPLE);
  const top = roundUp(
    Math.max(0.01, ...shown.flatMap((one) => [one.predicted, one.observed])),
    0.01,
  );
  const line = (valueOf: (band: Plots['bands'][number]) => number): string =>
    pathOf(shown.map((band, at) => [at, (valueOf(band) / top) * PLOT_HEIGHT] as const));
  const worst = Math.max(0, ...shown.map((one) => Math.abs(one.predicted - one.observed)));
  return (
    <Plot
      label={t`Share that defaulted and predicted share, by score. They differ by at most ${percent(worst)}.`}
      begin={shown[0]?.from}
      end={shown.at(-1)?.from}
      top={`${Math.round(top * 100)} %`}
      middle={`${Math.round(top * 50)} %`}
      width={Math.max(1, shown.length - 1)}
    >
      <path className={styles['line']} d={line(({ observed }) => observed)} />
      <path className={styles['second']} d={line(({ predicted }) => predicted)} />
    </Plot>
  );
}

/** A line through points whose y grows upwards. */
function pathOf(points: readonly (readonly [x: number, y: number])[]): string {
  return points
    .map(([x, y], at) => `${at === 0 ? 'M' : 'L'}${x.toFixed(2)} ${(PLOT_HEIGHT - y).toFixed(2)}`)
    .join('');
}
