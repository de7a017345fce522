import type { ReactNode } from 'react';
import styles from './Plot.module.css';

/** The height of a plot in the units of its content. */
export const PLOT_HEIGHT = 100;

/** What the frame of a chart needs to know of it. */
export interface PlotFrame {
  /** What it shows, with the main figures: all that a screen reader says. */
  readonly label: string;
  /** Below its left and right end. */
  readonly begin: ReactNode;
  readonly end: ReactNode;
}

/** The frame of a chart: the values at its side, the plot, and the time below it. */
export function Plot({
  label,
  begin,
  end,
  top,
  middle,
  width,
  size,
  legend,
  children,
}: PlotFrame & {
  /** The values at the upper end and half way. */
  readonly top: ReactNode;
  readonly middle: ReactNode;
  /** Of the content, in its units. */
  readonly width: number;
  readonly size?: 'small';
  readonly legend?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <div className={styles['chart']}>
      {legend}
      <div className={styles['plot']} data-size={size}>
        <span className={styles['top']}>{top}</span>
        <span className={styles['middle']}>{middle}</span>
        <svg
          role="img"
          aria-label={label}
          viewBox={`0 0 ${width} ${PLOT_HEIGHT}`}
          preserveAspectRatio="none"
        >
          {children}
        </svg>
      </div>
      <div className={styles['axis']} aria-hidden="true">
        <span>{begin}</span>
        <span>{end}</span>
      </div>
    </div>
  );
}

/** The next of 2, 4, 10, 20, 40, 100 … times `unit`. */
export function roundUp(value: number, unit = 1): number {
  for (let power = unit; ; power *= 10) {
    for (const factor of [2, 4, 10]) if (factor * power >= value) return factor * power;
  }
}
