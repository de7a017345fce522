import { PLOT_HEIGHT, Plot, roundUp } from './Plot.tsx';
import type { PlotFrame } from './Plot.tsx';
import styles from './LineChart.module.css';

/** One value over time. The line has a gap where a value is missing. */
export function LineChart({
  points,
  format,
  ...frame
}: PlotFrame & {
  readonly points: readonly (number | null)[];
  readonly format: (value: number) => string;
}) {
  const top = roundUp(Math.max(0, ...points.map((point) => point ?? 0)), 0.01);
  const path = points
    .map((point, index) => {
      if (point === null) return '';
      // A point without neighbours is a short line.
      const isFirst = (points[index - 1] ?? null) === null;
      const y = PLOT_HEIGHT - (point / top) * PLOT_HEIGHT;
      return `${isFirst ? `M${index} ${y}` : ''}L${index + 0.5} ${y}`;
    })
    .join('');
  return (
    <Plot {...frame} top={format(top)} middle={format(top / 2)} width={points.length} size="small">
      <path className={styles['line']} d={path} />
    </Plot>
  );
}
