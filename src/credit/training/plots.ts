import { html } from './html.ts';
import type { Markup } from './html.ts';

const WIDTH = 420;
const HEIGHT = 280;
const MARGIN = { left: 48, right: 22, top: 12, bottom: 40 } as const;

export interface Axis {
  readonly title: string;
  readonly from: number;
  readonly to: number;
  /** Labels along the axis; numbers at their positions. */
  readonly ticks: readonly (readonly [value: number, label: string])[];
}

export interface Line {
  readonly title: string;
  readonly points: readonly (readonly [x: number, y: number])[];
  readonly style: 'first' | 'second' | 'guide';
  /** Marks each point. */
  readonly dots?: boolean;
}

/** Lines over two axes as one inline SVG; screen readers read out `title`. */
export function linePlot(
  title: string,
  axes: { readonly x: Axis; readonly y: Axis },
  lines: readonly Line[],
): Markup {
  const pointAt = projection(axes.x, axes.y);
  return frame(
    title,
    axes,
    lines.map((line) => {
      const points = line.points.map(([x, y]) => pointAt(x, y));
      const path = points.map(({ left, top }) => `${left},${top}`).join(' ');
      const dots = line.dots
        ? points.map(
            ({ left, top }) =>
              html`<circle class="${line.style}" cx="${left}" cy="${top}" r="3.5" />`,
          )
        : [];
      return html`<polyline class="${line.style}" points="${path}"
          ><title>${line.title}</title></polyline
        >${dots}`;
    }),
  );
}

export interface Bar {
  readonly label: string;
  readonly value: number;
}

/** Bars side by side, from 0. */
export function barPlot(title: string, y: Axis, bars: readonly Bar[]): Markup {
  const x: Axis = {
    title: '',
    from: 0,
    to: bars.length,
    ticks: bars.map(({ label }, at) => [at + 0.5, label]),
  };
  const pointAt = projection(x, y);
  return frame(
    title,
    { x, y },
    bars.map(({ label, value }, at) => {
      const [corner, foot] = [pointAt(at + 0.15, value), pointAt(at + 0.85, y.from)];
      const width = (foot.left - corner.left).toFixed(1);
      const height = Math.max(0, foot.top - corner.top).toFixed(1);
      return html`<rect
        class="first"
        x="${corner.left}"
        y="${corner.top}"
        width="${width}"
        height="${height}"
        ><title>${label}: ${value.toPrecision(3)}</title></rect
      >`;
    }),
  );
}

interface Point {
  readonly left: number;
  readonly top: number;
}

function projection(x: Axis, y: Axis): (xValue: number, yValue: number) => Point {
  const [width, height] = [WIDTH - MARGIN.left - MARGIN.right, HEIGHT - MARGIN.top - MARGIN.bottom];
  return (xValue, yValue) => ({
    left: rounded(MARGIN.left + (width * (xValue - x.from)) / (x.to - x.from)),
    top: rounded(MARGIN.top + height * (1 - (yValue - y.from) / (y.to - y.from))),
  });
}

function frame(
  title: string,
  { x, y }: { readonly x: Axis; readonly y: Axis },
  content: readonly Markup[],
): Markup {
  const pointAt = projection(x, y);
  const [corner, end] = [pointAt(x.from, y.from), pointAt(x.to, y.to)];
  return html`<figure>
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}">
      ${axisMarks({ x, y })}
      <line
        class="axis"
        x1="${corner.left}"
        x2="${end.left}"
        y1="${corner.top}"
        y2="${corner.top}"
      />
      <line
        class="axis"
        x1="${corner.left}"
        x2="${corner.left}"
        y1="${corner.top}"
        y2="${end.top}"
      />
      ${content}
      <text
        class="title"
        x="${(corner.left + end.left) / 2}"
        y="${HEIGHT - 6}"
        text-anchor="middle"
      >
        ${x.title}
      </text>
      <text
        class="title"
        transform="translate(11 ${(corner.top + end.top) / 2}) rotate(-90)"
        text-anchor="middle"
      >
        ${y.title}
      </text>
    </svg>
    <figcaption>${title}</figcaption>
  </figure>`;
}

/** Labels along both axes, and grid lines at those of y. */
function axisMarks({ x, y }: { readonly x: Axis; readonly y: Axis }): Markup[] {
  const pointAt = projection(x, y);
  const [corner, end] = [pointAt(x.from, y.from), pointAt(x.to, y.to)];
  const ofY = y.ticks.map(([value, label]) => {
    const { top } = pointAt(x.from, value);
    return html`<line class="grid" x1="${corner.left}" x2="${end.left}" y1="${top}" y2="${top}" />
      <text class="tick" x="${corner.left - 6}" y="${top + 4}" text-anchor="end">${label}</text> `;
  });
  const ofX = x.ticks.map(
    ([value, label]) =>
      html`<text
        class="tick"
        x="${pointAt(value, y.from).left}"
        y="${corner.top + 15}"
        text-anchor="middle"
        >${label}</text
      > `,
  );
  return [...ofY, ...ofX];
}

/** An axis of shares from 0 to `to`, in percent, with five ticks. */
export function percentAxis(title: string, to = 1): Axis {
  const digits = to < 0.05 ? 1 : 0;
  const ticks = [0, 0.2, 0.4, 0.6, 0.8, 1].map((part) => {
    const value = part * to;
    return [value, `${(100 * value).toFixed(digits)} %`] as const;
  });
  return { title, from: 0, to, ticks };
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
