import type { ReactNode } from 'react';
import { roundUp } from './BarChart.tsx';
import styles from './BarChart.module.css';

const HEIGHT = 100;

/** One value over time. The line has a gap where a value is missing. */
export function LineChart({
  label,
  points,
  format,
  begin,
  end,
}: {
  /** What it shows, with the main figures: all that a screen reader says. */
  readonly label: string;
  readonly points: readonly (number | null)[];
  readonly format: (value: number) => string;
  readonly begin: ReactNode;
  readonly end: ReactNode;
}) {
  const top = roundUp(Math.max(0, ...points.map((point) => point ?? 0)), 0.01);
  const path = points
    .map((point, index) => {
      if (point === null) return '';
      // A point without neighbours is a short line.
      const isFirst = (points[index - 1] ?? null) === null;
      const y = HEIGHT - (point / top) * HEIGHT;
      return `${isFirst ? `M${index} ${y}` : ''}L${index + 0.5} ${y}`;
    })
    .join('');
  return (
    <div className={styles['chart']}>
      <div className={styles['plot']} data-size="small">
        <span className={styles['top']}>{format(top)}</span>
        <span className={styles['middle']}>{format(top / 2)}</span>
        <svg
          role="img"
          aria-label={label}
          viewBox={`0 0 ${points.length} ${HEIGHT}`}
          preserveAspectRatio="none"
        >
          <path className={styles['line']} d={path} />
        </svg>
      </div>
      <div className={styles['axis']} aria-hidden="true">
        <span>{begin}</span>
        <span>{end}</span>
      </div>
    </div>
  );
}
