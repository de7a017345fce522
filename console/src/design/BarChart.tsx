import type { ReactNode } from 'react';
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

const HEIGHT = 100;

/** Stacked bars over time. */
export function BarChart({
  label,
  series,
  bars,
  begin,
  end,
}: {
  /** What it shows, with the main figures: all that a screen reader says. */
  readonly label: string;
  readonly series: readonly ChartSeries[];
  readonly bars: readonly ChartBar[];
  /** Below its left and right end. */
  readonly begin: ReactNode;
  readonly end: ReactNode;
}) {
  const top = roundUp(Math.max(0, ...bars.map(({ values }) => sum(values))));
  return (
    <div className={styles['chart']}>
      <ul className={styles['legend']} aria-hidden="true">
        {series.map(({ name, tone }) => (
          <li key={tone} data-tone={tone}>
            {name}
          </li>
        ))}
      </ul>
      <div className={styles['plot']}>
        <span className={styles['top']}>{top}</span>
        <span className={styles['middle']}>{top / 2}</span>
        <svg
          role="img"
          aria-label={label}
          viewBox={`0 0 ${bars.length} ${HEIGHT}`}
          preserveAspectRatio="none"
        >
          {bars.map((bar, index) => (
            <Bar
              key={index}
              bar={bar}
              at={index}
              tones={series.map(({ tone }) => tone)}
              top={top}
            />
          ))}
        </svg>
      </div>
      <div className={styles['axis']} aria-hidden="true">
        <span>{begin}</span>
        <span>{end}</span>
      </div>
    </div>
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
      <rect className={styles['hover']} x={at} width={1} height={HEIGHT} />
      {values.map((value, index) => (
        <rect
          key={index}
          data-tone={tones[index]}
          x={at + 0.12}
          width={0.76}
          y={HEIGHT - (sum(values.slice(0, index + 1)) / top) * HEIGHT}
          height={(value / top) * HEIGHT}
        />
      ))}
    </g>
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** The next of 2, 4, 10, 20, 40, 100 … times `unit`. */
export function roundUp(value: number, unit = 1): number {
  for (let power = unit; ; power *= 10) {
    for (const factor of [2, 4, 10]) if (factor * power >= value) return factor * power;
  }
}
