import type { ReactNode } from 'react';
import { PLOT_HEIGHT, Plot, roundUp } from './Plot.tsx';
import type { PlotFrame } from './Plot.tsx';
import styles from './BarChart.module.css';

export interface ChartSeries {
  readonly name: ReactNode;
  readonly tone: 'done' | 'alert' | 'waiting';
}

export interface ChartBar {
  /** For its tooltip, such as `14:03: 12 paid, 1 failed`. */
  readonly title: string;
  /** One for each series. */
  readonly values: readonly number[];
}

/** Stacked bars over time. */
export function BarChart({
  series,
  bars,
  ...frame
}: PlotFrame & {
  readonly series: readonly ChartSeries[];
  readonly bars: readonly ChartBar[];
}) {
  const top = roundUp(Math.max(0, ...bars.map(({ values }) => sum(values))));
  const legend = (
    <ul className={styles['legend']} aria-hidden="true">
      {series.map(({ name, tone }) => (
        <li key={tone} className={styles['series']} data-tone={tone}>
          {name}
        </li>
      ))}
    </ul>
  );
  return (
    <Plot {...frame} top={top} middle={top / 2} width={bars.length} legend={legend}>
      {bars.map((bar, index) => (
        <Bar key={index} bar={bar} at={index} tones={series.map(({ tone }) => tone)} top={top} />
      ))}
    </Plot>
  );
}

function Bar({
  bar: { title, values },
  at,
  tones,
  top,
}: {
  readonly bar: ChartBar;
  readonly at: number;
  readonly tones: readonly ChartSeries['tone'][];
  /** The value at the upper end of the plot. */
  readonly top: number;
}) {
  return (
    <g>
      <title>{title}</title>
      <rect className={styles['hover']} x={at} width={1} height={PLOT_HEIGHT} />
      {values.map((value, index) => (
        <rect
          key={index}
          className={`${styles['series']} ${styles['bar']}`}
          data-tone={tones[index]}
          x={at + 0.12}
          width={0.76}
          y={PLOT_HEIGHT - (sum(values.slice(0, index + 1)) / top) * PLOT_HEIGHT}
          height={(value / top) * PLOT_HEIGHT}
        />
      ))}
    </g>
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
